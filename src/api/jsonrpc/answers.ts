/** Results that hold for a state and cost more than looking them up: kept until the chain moves. */
import type { GatewayNode } from '../gateway.ts'

const KEPT_METHODS: ReadonlySet<string> = new Set(['eth_call'])
const MAX_ENTRIES = 10_000
const MAX_KEY_LENGTH = 4_096
const MAX_RESULT_LENGTH = 16_384
const MAX_LENGTH = 8_000_000

/** A state of the chain, as far as this process has heard of it. */
interface Moment {
  readonly height: bigint
  readonly rollbacks: number | undefined
}

export interface AnswerCache {
  /** What a request is kept under, and when it was asked; undefined for what is not kept. */
  placeOf(method: string, params: unknown): { readonly key: string; readonly moment: Moment } | undefined
  /** The result as JSON. */
  get(key: string): string | undefined
  /** Keeps a result that was worked out while the chain stood still; any other is forgotten. */
  set(place: { readonly key: string; readonly moment: Moment }, result: string): void
}

/** Names what is asked, if that is an object of texts and a block's name, as of nearly every call; two never share a key. */
function keyOf(params: unknown): string | undefined {
  if (!Array.isArray(params) || params.length > 2) return undefined
  const [object, block = ''] = params as readonly unknown[]
  if (typeof object !== 'object' || object === null || typeof block !== 'string') return undefined
  const fields = object as Readonly<Record<string, unknown>>
  let key = `${block.length}:${block}`
  for (const name in fields) {
    const value = fields[name]
    if (typeof value !== 'string') return undefined
    key += ` ${name.length}:${name}${value.length}:${value}`
  }
  return key
}

export function createAnswerCache(node: GatewayNode): AnswerCache {
  const entries = new Map<string, string>()
  let length = 0
  let at: Moment = { height: -1n, rollbacks: undefined }

  /** Forgets everything if the chain has moved. */
  function now(): Moment {
    const height = node.blocks.latestHeight()
    const { rollbacks } = node.driver.status()
    if (height !== at.height || rollbacks !== at.rollbacks) {
      entries.clear()
      length = 0
      at = { height, rollbacks }
    }
    return at
  }

  return {
    placeOf(method, params) {
      const key = KEPT_METHODS.has(method) ? keyOf(params) : undefined
      return key === undefined || key.length > MAX_KEY_LENGTH ? undefined : { key, moment: now() }
    },
    get: (key) => entries.get(key),
    set({ key, moment }, result) {
      const cost = key.length + result.length
      const hasRoom = entries.size < MAX_ENTRIES && length + cost <= MAX_LENGTH
      if (now() !== moment || !hasRoom || result.length > MAX_RESULT_LENGTH || entries.has(key)) return
      entries.set(key, result)
      length += cost
    },
  }
}
