/** Genesis sections of unbuilt modules: other builds have them, and this one lacks them. Exports return the sections unchanged. */
import type { Module } from '../sdk/module.ts'
import type { GenesisDocument } from './types.ts'

/** Module names of this family of chains, whether or not this build has them. */
const FAMILY_MODULES: readonly string[] = [
  ...['07-tendermint', '08-wasm', 'authz', 'capability', 'crisis', 'devgas', 'distribution', 'epochs', 'evidence'],
  ...['feegrant', 'feeibc', 'genmsg', 'gov', 'group', 'ibc', 'inflation', 'interchainaccounts', 'mint', 'nft'],
  ...['oracle', 'params', 'slashing', 'tokenfactory', 'transfer', 'upgrade', 'vesting', 'wasm'],
]

/** Section of genesis transactions, which are delivered once, not stored, and exported as an empty list. */
export const GENESIS_TRANSACTIONS = 'genutil'

/** Whether a section belongs to a module of the family that this build lacks. */
export function isUnbuilt(name: string, modules: readonly Module[]): boolean {
  return FAMILY_MODULES.includes(name) && !modules.some((module) => module.name === name && module.genesis)
}

/** Returns the sections that an export copies from the original document. */
export function unbuiltSections(document: GenesisDocument, modules: readonly Module[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(document.app_state).filter(([name]) => isUnbuilt(name, modules)))
}
