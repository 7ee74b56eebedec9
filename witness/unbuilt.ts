/** What of the recorded chain this build does not execute: the other machine's contracts and other chains. */
import { modules } from '../src/app/modules.ts'

/** Modules whose messages replay takes from the recording. The one list: a module that is built leaves it. */
export const UNBUILT_MODULES: readonly string[] = ['crisis', 'group', 'ibc', 'transfer', 'vesting', 'wasm']

const unbuilt = new Set(UNBUILT_MODULES)
const built = new Set(modules.map(({ name }) => name))

/** Also of a module that nobody has heard of. */
export function isUnbuilt(module: string): boolean {
  return unbuilt.has(module) || !built.has(module)
}

/** The module that handles a message, by the message's neutral name: `chain.oracle.v1beta1.MsgX` is of `oracle`. */
export function ownerOfMessage(typeName: string): string {
  return typeName.startsWith('ibc.') ? 'ibc' : (typeName.split('.')[1] ?? typeName)
}
