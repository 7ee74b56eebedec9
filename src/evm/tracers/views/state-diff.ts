/** The changes of a transaction to accounts, in OpenEthereum's form (`stateDiff`). */
import { EMPTY, formatHex0x, fromKey } from '../../../primitives/bytes.ts'
import { ZERO_KEY } from '../../account.ts'
import type { Output } from '../output.ts'
import type { Account } from '../prestate.ts'
import { quantity } from '../tracer.ts'

type AccountMap = ReadonlyMap<string, Account>

const UNCHANGED = '"="'

/** Returns a value that an account gained or lost. */
const single = (sign: '+' | '-', value: string): string => `{"${sign}":"${value}"}`
const changed = (from: string, to: string): string => `{"*":{"from":"${from}","to":"${to}"}}`

const word = (key: string): string => formatHex0x(fromKey(key))
const nonZero = (slots: ReadonlyMap<string, string>): [string, string][] =>
  [...slots].filter(([, value]) => value !== ZERO_KEY)

function fields(balance: string, code: string, nonce: string, slots: readonly (readonly [string, string])[]): string {
  const storage = [...slots].sort(([a], [b]) => (a < b ? -1 : 1)).map(([slot, value]) => `"${word(slot)}":${value}`)
  return `{"balance":${balance},"code":${code},"nonce":${nonce},"storage":{${storage.join()}}}`
}

/** Returns an account that exists only before or only after. */
function onlyOnce(sign: '+' | '-', { balance = 0n, nonce = 0n, code = EMPTY, storage }: Account): string {
  return fields(
    single(sign, quantity(balance)),
    single(sign, formatHex0x(code)),
    single(sign, quantity(nonce)),
    nonZero(storage).map(([slot, value]) => [slot, single(sign, word(value))]),
  )
}

/** Returns an account that exists before and after. `now` has the fields that changed. */
function both(was: Account, now: Account): string {
  const number = (from: bigint | undefined, to: bigint | undefined): string =>
    to === undefined ? UNCHANGED : changed(quantity(from ?? 0n), quantity(to))
  // A removed code has a hash, and no bytes.
  const code = now.codeHash ? changed(formatHex0x(was.code ?? EMPTY), formatHex0x(now.code ?? EMPTY)) : UNCHANGED
  const slots = [...new Set([...was.storage.keys(), ...now.storage.keys()])].map((slot) => {
    const [from, to] = [was.storage.get(slot) ?? ZERO_KEY, now.storage.get(slot) ?? ZERO_KEY]
    return [slot, changed(word(from), word(to))] as const
  })
  return fields(number(was.balance, now.balance), code, number(was.nonce, now.nonce), slots)
}

/** Writes the differences between accounts that `collectAccounts` found with `diffMode`. */
export function writeStateDiff(output: Output, pre: AccountMap, post: AccountMap): void {
  const keys = [...new Set([...pre.keys(), ...post.keys()])].sort((a, b) => (a < b ? -1 : 1))
  output.text('{')
  keys.forEach((key, i) => {
    const [was, now] = [pre.get(key), post.get(key)]
    const shown = !was ? onlyOnce('+', now!) : now ? both(was, now) : onlyOnce('-', was)
    output.text(`${i > 0 ? ',' : ''}"${formatHex0x(fromKey(key))}":${shown}`)
  })
  output.text('}')
}
