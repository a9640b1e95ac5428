/** Raised whenever the same program and world would render other text; an attempt pins it. */
export const RENDERER_VERSION = '4';
