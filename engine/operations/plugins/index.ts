export { type Check, type ConformanceReport, testPlugin } from './conformance/suite.js';
export { createPlugin, type CreatedPlugin } from './create.js';
export { trustPlugin, type TrustedPlugin } from './trust.js';
export { listPlugins, type PluginList } from './workshop.js';
