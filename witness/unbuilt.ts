/** Modules of the recorded chain that this build does not have: Wasm contracts and IBC, among others. */
import { modules } from '../src/app/modules.ts'

/** Unbuilt modules. Replay takes the effects of their messages from the recording. Remove a module when it is built. */
export const UNBUILT_MODULES: readonly string[] = ['crisis', 'group', 'ibc', 'transfer', 'wasm']

const unbuilt = new Set(UNBUILT_MODULES)
const built = new Set(modules.map(({ name }) => name))

/** Whether a module is unbuilt, which includes unknown names. */
export function isUnbuilt(module: string): boolean {
  return unbuilt.has(module) || !built.has(module)
}

/** Returns the module that handles a message, by the message's neutral name: `oracle` for `chain.oracle.v1beta1.MsgX`. */
export function ownerOfMessage(typeName: string): string {
  return typeName.startsWith('ibc.') ? 'ibc' : (typeName.split('.')[1] ?? typeName)
}
