/** Readable lines about transactions, with the names of actors in place of addresses. */
import { formatBech32 } from '../../src/primitives/address.ts'
import { formatHex } from '../../src/primitives/bytes.ts'
import { actors } from './actors.ts'
import { SPOILS, type Wish } from './transactions.ts'

/** Names of the actors by every spelling of their addresses. */
const NAMES: readonly (readonly [spelling: string, name: string])[] = actors.flatMap(
  ({ name, address, text, operator, hex }) =>
    [
      text,
      text.toUpperCase(),
      operator,
      operator.toUpperCase(),
      hex,
      formatHex(address),
      formatBech32('chainvalcons', address),
    ].map((spelling) => [spelling, `<${name}>`] as const),
)
const MOST_BYTES = 100

/** Returns the text with the names of actors in place of their addresses. */
export function named(text: string): string {
  let result = text
  for (const [spelling, name] of NAMES) result = result.replaceAll(spelling, name)
  return result
}

function plain(key: string, value: unknown): unknown {
  if (key === '$typeName') return undefined
  if (typeof value === 'bigint') return value.toString()
  if (!(value instanceof Uint8Array)) return value
  const text = formatHex(value)
  return value.length > MOST_BYTES ? `${text.slice(0, 2 * MOST_BYTES)}… (${value.length} bytes)` : text
}

/** Returns a readable line about a transaction. */
export function describe(kind: string, wish: Wish, spoil: number): string {
  const damage = spoil === 0 ? '' : ` [${SPOILS[spoil % SPOILS.length]}]`
  const { signer } = wish
  const contents =
    wish.kind === 'messages'
      ? wish.messages.map(({ schema, message }) => {
          return `${schema.typeName} ${JSON.stringify(message, plain)}`
        })
      : [JSON.stringify({ to: wish.to, valueWei: wish.valueWei, data: wish.data, gas: wish.gas }, plain)]
  return named(`${kind} by <${signer.name}>${damage}: ${contents.join('; ')}`)
}
