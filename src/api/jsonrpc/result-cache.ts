/** A cache of results that depend on the latest state alone. It is emptied by the next block or rollback. */
import type { GatewayNode } from '../gateway.ts'

const CACHED_METHODS: ReadonlySet<string> = new Set(['eth_call'])
const MAX_ENTRIES = 10_000
const MAX_KEY_LENGTH = 4_096
const MAX_RESULT_LENGTH = 16_384
const MAX_LENGTH = 8_000_000

/** A chain state: its height, and the number of rollbacks before it. */
interface Revision {
  readonly height: bigint
  readonly rollbacks: number | undefined
}

interface CacheKey {
  /** Arguments and block; different requests have different texts. */
  readonly text: string
  /** State at the time of the request. */
  readonly revision: Revision
}

export interface ResultCache {
  /** Returns the key of a request; undefined if its result is not cached. */
  keyOf(method: string, params: unknown): CacheKey | undefined
  /** Returns a cached result as JSON. */
  get(key: CacheKey): string | undefined
  /** Caches a result, unless the chain has changed since the request. */
  set(key: CacheKey, result: string): void
}

/**
 * Returns a text that identifies the parameters, if they are an object of strings and a block, as those of nearly every call
 * are. Different parameters have different texts.
 */
function textOf(params: unknown): string | undefined {
  if (!Array.isArray(params) || params.length > 2) return undefined
  const [object, block = ''] = params as readonly unknown[]
  if (typeof object !== 'object' || object === null || typeof block !== 'string') return undefined
  // The pool changes between blocks.
  if (block === 'pending') return undefined
  const fields = object as Readonly<Record<string, unknown>>
  let text = `${block.length}:${block}`
  for (const name in fields) {
    const value = fields[name]
    if (typeof value !== 'string') return undefined
    text += ` ${name.length}:${name}${value.length}:${value}`
  }
  return text
}

export function createResultCache(node: GatewayNode): ResultCache {
  const entries = new Map<string, string>()
  let length = 0
  let at: Revision = { height: -1n, rollbacks: undefined }

  /** Returns the current revision. Empties the cache if the chain has changed. */
  function now(): Revision {
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
    keyOf(method, params) {
      const text = CACHED_METHODS.has(method) ? textOf(params) : undefined
      return text === undefined || text.length > MAX_KEY_LENGTH ? undefined : { text, revision: now() }
    },
    get: ({ text }) => entries.get(text),
    set({ text, revision }, result) {
      const cost = text.length + result.length
      const hasRoom = entries.size < MAX_ENTRIES && length + cost <= MAX_LENGTH
      if (now() !== revision || !hasRoom || result.length > MAX_RESULT_LENGTH || entries.has(text)) return
      entries.set(text, result)
      length += cost
    },
  }
}
