/** The height that a page shows: that of its address (`?height=7`), else the latest. */
import { currentPlace, setQuery, usePlace } from '../router.tsx'

const readHeight = (text: string | null): bigint | undefined =>
  text !== null && /^[1-9]\d{0,17}$/.test(text) ? BigInt(text) : undefined

/** Returns the selected height; undefined for the latest. */
export const useHeight = (): bigint | undefined => readHeight(usePlace().query.get('height'))

/** Returns the selected height outside of components. */
export const selectedHeight = (): bigint | undefined => readHeight(currentPlace().query.get('height'))

/** Selects a height for this page and those that its links lead to; undefined selects the latest. */
export const selectHeight = (height: bigint | undefined, replace = false): void =>
  setQuery('height', height?.toString(), replace)

/** Returns a height as JSON-RPC names it. */
export const blockTag = (height: bigint | undefined): string =>
  height === undefined ? 'latest' : `0x${height.toString(16)}`
