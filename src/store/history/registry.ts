/**
 * The stores of each height, and the numbers under which their rows are stored. An upgrade that changes the stores begins an era.
 * A renamed store keeps its number and its rows; a deleted one keeps them for earlier heights; a name that is used again gets a
 * new number.
 */
import { utf8 } from '../../primitives/bytes.ts'
import { META } from '../tables.ts'
import { orderStores, type StoreOrder } from '../tree/tree-roots.ts'
import type { Tables, TableWrite } from '../types.ts'
import { namesAfter, type StoreChanges, undeclaredStore } from './store-changes.ts'

const STORES = utf8('stores')
const UPGRADES = utf8('upgrades')
const MAX_STORES = 255

/** Heights with the same stores. */
export interface Era {
  /** First height; 0 for the first era. */
  readonly from: number
  /** Stores in the app hash. */
  readonly order: StoreOrder
  /** All stores that can be written. */
  readonly stores: readonly string[]
  /** Numbers by name; a store without a number has no rows. */
  readonly numbers: ReadonlyMap<string, number>
}

export interface Registry {
  eraAt(height: number): Era
  /** Returns the name of a store by its number. Throws an `Error` if the height has no store of that number. */
  nameAt(number: number, height: number): string
  /** Returns the number of a store of the latest era, and a row that records it if it is new. Throws for an undeclared store. */
  numberFor(store: string): { readonly number: number; readonly row?: TableWrite }
  /** Begins an era, and returns the row that records it. Throws the errors of `namesAfter`. */
  begin(height: number, changes: StoreChanges): TableWrite
  /** Removes the eras after a height, with their numbers. Returns the rows that record it. */
  rewind(height: number): TableWrite[]
}

interface Upgrade extends StoreChanges {
  readonly height: number
}

/** The first name of a number's store, and the height since which it exists. An unused number has an empty name. */
interface Numbered {
  readonly name: string
  readonly since: number
}

/** An era whose maps can still be filled. */
interface OpenEra extends Era {
  readonly numbers: Map<string, number>
  readonly names: Map<number, string>
}

/** Reads the registry of a chain that began with `hashed` stores in its app hash, and `others` outside it. */
export function readRegistry(tables: Tables, hashed: readonly string[], others: readonly string[]): Registry {
  let upgrades = readUpgrades(tables)
  const numbered = readNumbered(tables)
  let eras = createEras()

  function createEras(): OpenEra[] {
    const made = [createEra(0, orderStores(hashed))]
    for (const upgrade of upgrades) made.push(eraAfter(made.at(-1)!, upgrade))
    for (const number of numbered.keys()) addNumber(made, number)
    return made
  }

  function createEra(from: number, order: StoreOrder): OpenEra {
    const stores = [...order.names, ...others.filter((name) => !order.treeIndexes.has(name))]
    return { from, order, stores, numbers: new Map(), names: new Map() }
  }

  function eraAfter({ order }: Era, upgrade: Upgrade): OpenEra {
    return createEra(upgrade.height, orderStores(namesAfter(order.names, upgrade)))
  }

  /** Adds a number to the eras that contain its store. */
  function addNumber(into: readonly OpenEra[], number: number): void {
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
      if (!era.stores.includes(store)) throw undeclaredStore(store)
      if (numbered.length === MAX_STORES)
        throw new Error(`store "${store}" exceeds the limit: a chain has at most ${MAX_STORES} stores in its history`)
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

/** Returns a store's name after an upgrade; undefined if the upgrade deletes it. */
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
