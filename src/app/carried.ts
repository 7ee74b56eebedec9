/** Modules that chains of this family have and this build has not: what a genesis says of them is kept, not acted on. */
import type { Module } from '../sdk/module.ts'
import type { GenesisDocument } from './types.ts'

/** All that chains of this family have, whether or not this build, or a chain at its beginning, has it. */
const FAMILY_MODULES: readonly string[] = [
  ...['07-tendermint', '08-wasm', 'authz', 'capability', 'crisis', 'devgas', 'distribution', 'epochs', 'evidence'],
  ...['feegrant', 'feeibc', 'genmsg', 'gov', 'group', 'ibc', 'inflation', 'interchainaccounts', 'mint', 'nft'],
  ...['oracle', 'params', 'slashing', 'tokenfactory', 'transfer', 'upgrade', 'vesting', 'wasm'],
]

/** The section of genesis transactions: delivered once, part of no state, exported empty. */
export const GENESIS_TRANSACTIONS = 'genutil'

/** Whether a section of a genesis document is of a module that is known and not built. */
export function isCarried(name: string, modules: readonly Module[]): boolean {
  return FAMILY_MODULES.includes(name) && !modules.some((module) => module.name === name && module.genesis)
}

/** The sections that an export hands on as the document had them. */
export function carriedSections(document: GenesisDocument, modules: readonly Module[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(document.app_state).filter(([name]) => isCarried(name, modules)))
}
