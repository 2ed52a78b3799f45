export { CallError, CallFailed, CallNotAnswered, CallRefused } from "./errors.js";
export { newKey } from "./keys.js";
export { complete, reject } from "./calls.js";
