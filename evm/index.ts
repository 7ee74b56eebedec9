/** The functions exported to the host. */
export { enter, hash, install, installedSize, optimise, optimisedSize, pass, placeBehind, quicken, refuse, settleCall, settleCreate, settleFrame } from './frames'
export { format } from './format'
export { run } from './interpreter'
export { reach } from './memory'
