export { diffPin, type PinDrift } from './diff-pin.js';
export { findServer } from './find-server.js';
export { listServerTools, type ServerTools } from './list-tools.js';
export type { ServerTool, UsableTool } from './server-tool.js';
export { type WrittenTools, writeTools } from './write-tools.js';
