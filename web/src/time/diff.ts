/** Differences of two answers, by path. */

export interface Change {
  /** `params.vote_period`, `balances[denom=unative].amount`. */
  readonly path: string
  /** Value at the first height; undefined if it does not exist there. */
  readonly before: unknown
  readonly after: unknown
}

/** Fields that tell the items of a list apart, in the order in which they are tried. */
const KEYS = [
  'denom',
  'pair',
  'identifier',
  'operator_address',
  'validator_address',
  'voter',
  'id',
  'proposal_id',
  'contract_address',
  'name',
  'address',
  'key',
  'granter',
  'grantee',
]

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the field by which every item of both lists has a different text; undefined without such a field. */
function keyOf(lists: readonly (readonly unknown[])[]): string | undefined {
  return KEYS.find((key) =>
    lists.every((list) => {
      const values = list.map((item) => (isObject(item) ? item[key] : undefined))
      return values.every((value) => typeof value === 'string') && new Set(values).size === list.length
    }),
  )
}

/** Gives the items of a list names: by their key, their own text, or their index. */
function namedItems(list: readonly unknown[], key: string | undefined, areTexts: boolean): Map<string, unknown> {
  return new Map(
    list.map((item, i) => {
      if (key !== undefined) return [`[${key}=${String((item as Record<string, unknown>)[key])}]`, item]
      return [areTexts ? `[${String(item)}]` : `[${i}]`, item]
    }),
  )
}

const areDistinctTexts = (list: readonly unknown[]): boolean =>
  list.every((item) => typeof item === 'string') && new Set(list).size === list.length

function children(before: unknown, after: unknown): readonly [Map<string, unknown>, Map<string, unknown>] | undefined {
  if (isObject(before) && isObject(after)) {
    const named = (value: Readonly<Record<string, unknown>>) =>
      new Map(Object.entries(value).map(([name, inner]) => [`.${name}`, inner]))
    return [named(before), named(after)]
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    const areTexts = areDistinctTexts(before) && areDistinctTexts(after)
    const key = before.length + after.length > 0 ? keyOf([before, after]) : undefined
    return [namedItems(before, key, areTexts), namedItems(after, key, areTexts)]
  }
  return undefined
}

/**
 * Returns what differs between two values of JSON, in the order of the first, then what only the second has. Items of lists are compared by a
 * field that names them, such as `denom`; lists of distinct texts as sets; other lists by index.
 */
export function changesOf(before: unknown, after: unknown): Change[] {
  const changes: Change[] = []
  const open: { path: string; before: unknown; after: unknown }[] = [{ path: '', before, after }]
  for (let pair = open.pop(); pair; pair = open.pop()) {
    if (pair.before === pair.after) continue
    const inner = children(pair.before, pair.after)
    if (!inner) {
      changes.push({ ...pair, path: pair.path.replace(/^\./, '') })
      continue
    }
    const names = [...new Set([...inner[0].keys(), ...inner[1].keys()])]
    for (const name of names.reverse()) {
      open.push({ path: pair.path + name, before: inner[0].get(name), after: inner[1].get(name) })
    }
  }
  return changes
}

/** Returns the difference of two integers as text with its sign; undefined for other values. */
export function deltaOf({ before, after }: Change): bigint | undefined {
  const isInteger = (value: unknown): value is string => typeof value === 'string' && /^-?\d{1,80}$/.test(value)
  return isInteger(before) && isInteger(after) ? BigInt(after) - BigInt(before) : undefined
}
