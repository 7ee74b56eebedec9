/** What the host calls. */
export { enter, hash, install, installedSize, pass, placeBehind, refuse, settleCall, settleCreate, settleFrame } from './frames'
export { run } from './interpreter'
export { reach } from './memory'
