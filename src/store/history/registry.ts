/**
 * Which stores there are at each height, and the numbers under which their rows lie. An upgrade begins an era: a renamed
 * store keeps its number and its rows, a deleted one keeps them for the heights before, a name that comes again has another.
 */
import { utf8 } from '../../primitives/bytes.ts'
import { orderStores, type StoreOrder } from '../tree/tree-roots.ts'
import type { Tables, TableWrite } from '../types.ts'
import { META } from './heights.ts'
import { namesAfter, type StoreChanges } from './store-changes.ts'

const STORES = utf8('stores')
const UPGRADES = utf8('upgrades')
const MOST_STORES = 255

/** Heights with the same stores. */
export interface Era {
  /** The first of them; 0 for the first era. */
  readonly from: number
  /** Stores in the app hash. */
  readonly order: StoreOrder
  /** All stores that may be written. */
  readonly stores: readonly string[]
  /** By name; a store without one has no rows. */
  readonly numbers: ReadonlyMap<string, number>
}

export interface Registry {
  eraAt(height: number): Era
  /** Name of a number at a height. Throws an `Error` if it has none there. */
  nameAt(number: number, height: number): string
  /** The number of a store of the latest era, and the row that makes it known if it is new. Throws an `Error` if there is no such store. */
  numberFor(store: string): { readonly number: number; readonly row?: TableWrite }
  /** Begins an era, and gives the row that makes it known. Throws as `namesAfter` does. */
  begin(height: number, changes: StoreChanges): TableWrite
  /** Forgets eras that begin after a height, with their numbers. */
  rewind(height: number): TableWrite[]
}

interface Upgrade extends StoreChanges {
  readonly height: number
}

/** A number's store as it was named at first, and since when. A number that is not in use has no name. */
interface Numbered {
  readonly name: string
  readonly since: number
}

/** An era in the making. */
interface OpenEra extends Era {
  readonly numbers: Map<string, number>
  readonly names: Map<number, string>
}

/** Reads the registry of a chain that began with stores in its app hash, and others that take no part in it. */
export function readRegistry(tables: Tables, hashed: readonly string[], others: readonly string[]): Registry {
  let upgrades = readUpgrades(tables)
  const numbered = readNumbered(tables)
  let eras = createEras()

  function createEras(): OpenEra[] {
    const made = [createEra(0, orderStores(hashed))]
    for (const upgrade of upgrades) made.push(eraAfter(made.at(-1)!, upgrade))
    for (const number of numbered.keys()) place(made, number)
    return made
  }

  function createEra(from: number, order: StoreOrder): OpenEra {
    const stores = [...order.names, ...others.filter((name) => !order.places.has(name))]
    return { from, order, stores, numbers: new Map(), names: new Map() }
  }

  function eraAfter({ order }: Era, upgrade: Upgrade): OpenEra {
    return createEra(upgrade.height, orderStores(namesAfter(order.names, upgrade)))
  }

  /** Enters a number into the eras in which its store is. */
  function place(into: readonly OpenEra[], number: number): void {
    const { name, since } = numbered[number]!
    let current: string | undefined = name === '' ? undefined : name
    for (const era of into) {
      if (era.from < since) continue
      const upgrade = upgrades.find(({ height }) => height === era.from)
      if (upgrade && era.from > since && current !== undefined) current = nameAfter(current, upgrade)
      if (current === undefined) return
      era.numbers.set(current, number)
      era.names.set(number, current)
    }
  }

  function eraAt(height: number): OpenEra {
    for (let i = eras.length - 1; i > 0; i--) if (eras[i]!.from <= height) return eras[i]!
    return eras[0]!
  }

  const storesRow = (): TableWrite => {
    const lines = numbered.map(({ name, since }) => (since === 0 ? name : `${name} ${since}`))
    return { table: META, key: STORES, value: utf8(lines.join('\n')) }
  }
  const upgradesRow = (): TableWrite => ({ table: META, key: UPGRADES, value: utf8(JSON.stringify(upgrades)) })

  return {
    eraAt,
    nameAt(number, height) {
      const name = eraAt(height).names.get(number)
      if (name === undefined) throw new Error(`store number ${number} has no name at height ${height}`)
      return name
    },
    numberFor(store) {
      const era = eras.at(-1)!
      const known = era.numbers.get(store)
      if (known !== undefined) return { number: known }
      if (!era.stores.includes(store)) throw new Error(`there is no store "${store}": an upgrade has to add it`)
      if (numbered.length === MOST_STORES) throw new Error(`more than ${MOST_STORES} stores`)
      const number = numbered.push({ name: store, since: era.from }) - 1
      era.numbers.set(store, number)
      era.names.set(number, store)
      return { number, row: storesRow() }
    },
    begin(height, changes) {
      const upgrade = { ...changes, height }
      const era = eraAfter(eras.at(-1)!, upgrade)
      upgrades = [...upgrades, upgrade]
      const before = eras.at(-1)!
      for (const [number, name] of before.names) {
        const after = nameAfter(name, upgrade)
        if (after === undefined) continue
        era.numbers.set(after, number)
        era.names.set(number, after)
      }
      eras.push(era)
      return upgradesRow()
    },
    rewind(height) {
      if (eras.at(-1)!.from <= height) return []
      upgrades = upgrades.filter((upgrade) => upgrade.height <= height)
      for (const [number, { since }] of numbered.entries()) {
        if (since > height) numbered[number] = { name: '', since: 0 }
      }
      eras = createEras()
      return [storesRow(), upgradesRow()]
    },
  }
}

/** What an upgrade leaves of a name; undefined if its store is gone. */
function nameAfter(name: string, { renamed = [], deleted = [] }: StoreChanges): string | undefined {
  if (deleted.includes(name)) return undefined
  return renamed.find(({ from }) => from === name)?.to ?? name
}

function readNumbered(tables: Tables): Numbered[] {
  const bytes = tables.get(META, STORES)
  if (!bytes || bytes.length === 0) return []
  const lines = new TextDecoder().decode(bytes).split('\n')
  return lines.map((line) => {
    const [name, since] = line.split(' ')
    return { name: name!, since: Number(since ?? 0) }
  })
}

function readUpgrades(tables: Tables): Upgrade[] {
  const bytes = tables.get(META, UPGRADES)
  return bytes ? (JSON.parse(new TextDecoder().decode(bytes)) as Upgrade[]) : []
}
