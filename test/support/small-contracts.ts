/** Contracts of a few bytes, for tests of calls inside calls. */

/** Returns init code that deploys a runtime of at most 32 bytes, given as hexadecimal digits. */
export function creationOf(runtime: string): `0x${string}` {
  const length = runtime.length / 2
  const byte = (value: number) => value.toString(16).padStart(2, '0')
  return `0x${byte(0x5f + length)}${runtime}5f5260${byte(length)}60${byte(32 - length)}f3`
}

/** Sends its value on to the account that the first word of its input names. */
export const FORWARDER = creationOf('5f5f5f5f345f355af100')

/** Creates a contract whose code is STOP. */
export const FACTORY = creationOf('6360015ff35f526004601c5ff000')

/** Reverts with its input. */
export const REVERTER = creationOf('365f5f37365ffd')

/** Returns an address as the first word of an input. */
export const wordOf = (address: string): `0x${string}` => `0x${address.slice(2).padStart(64, '0')}`
