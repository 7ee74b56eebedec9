/** Validation of a genesis document by starting a chain from it in memory, with a summary of the result. */
import { createIdentity, evmChainIdOf } from '../identity/identity.ts'
import type { Profile } from '../identity/profiles/profile.ts'
import { EMPTY } from '../primitives/bytes.ts'
import { queryError } from '../primitives/errors.ts'
import type { Report } from '../primitives/progress.ts'
import { parseRfc3339 } from '../primitives/time.ts'
import { createEmptyBranch } from '../store/branch.ts'
import { createApplication } from './application.ts'
import { withChainConfig } from './chain-config.ts'
import { modules } from './modules.ts'
import type { Application, GenesisDocument, GenesisState } from './types.ts'
import { unbuiltSections } from './unbuilt-sections.ts'

export interface GenesisSummary {
  readonly profile: string
  readonly chain_id: string
  readonly evm_chain_id: string
  readonly genesis_time: string
  readonly initial_height: string
  readonly accounts: number
  /** `5unative,7ufoo`. */
  readonly supply: string
  /** Number of validators. */
  readonly validators: number
  /** Total voting power. */
  readonly power: string
  /** Sections of modules that this build lacks: exports copy them, and they have no effect. */
  readonly carried: readonly string[]
}

/** Fields of an export that the summary reads. */
interface Exported {
  readonly auth: { readonly accounts: readonly unknown[] }
  readonly bank: { readonly supply: readonly { readonly denom: string; readonly amount: string }[] }
}

interface Tried extends GenesisState {
  readonly app: Application
  readonly evmChainId: bigint
}

/** Starts a chain from a document in memory. Throws a `ChainError` with the module and the invalid entry. */
export function tryGenesis(document: GenesisDocument, profile: Profile, report?: Report): Tried {
  const identity = createIdentity(withChainConfig(profile, document))
  const chainId = document.chain_id
  const evmChainId = evmChainIdOf(identity, chainId)
  const app = createApplication({ identity, chainId, evmChainId, settings: { minGasPrices: '' } })
  const state = createEmptyBranch()
  const { validators } = app.initChain(document, state, report)
  if (validators.length === 0) throw queryError('failedPrecondition', 'genesis has no validator')
  return { app, state, evmChainId, validators }
}

/** Starts a chain as `tryGenesis`, and exports its state. */
function load(document: GenesisDocument, profile: Profile, report?: Report) {
  const { app, state, evmChainId, validators } = tryGenesis(document, profile, report)
  const timeNs = parseRfc3339(document.genesis_time)!
  const ctx = app.readContext(state, { height: 0n, timeNs, proposer: EMPTY, hash: EMPTY, lastCommitHash: EMPTY })
  return { evmChainId, validators, exported: app.exportGenesis(ctx, document) }
}

/**
 * Returns a document as this build writes it: of the same state, with the defaults of all modules, and without genesis
 * transactions, whose effects are in the state. Throws as `validateGenesis` does.
 */
export function rewriteGenesis(document: GenesisDocument, profile: Profile, report?: Report): GenesisDocument {
  const { exported } = load(document, profile, report)
  return { ...exported, genesis_time: document.genesis_time, initial_height: document.initial_height }
}

/** Validates a document and returns its summary. Throws a `ChainError` with the module and the invalid entry. */
export function validateGenesis(document: GenesisDocument, profile: Profile, report?: Report): GenesisSummary {
  const { evmChainId, validators, exported } = load(document, profile, report)
  const { auth, bank } = exported.app_state as unknown as Exported
  return {
    profile: profile.name,
    chain_id: document.chain_id,
    evm_chain_id: evmChainId.toString(),
    genesis_time: document.genesis_time,
    initial_height: document.initial_height,
    accounts: auth.accounts.length,
    supply: bank.supply.map(({ amount, denom }) => amount + denom).join(','),
    validators: validators.length,
    power: validators.reduce((sum, { power }) => sum + power, 0n).toString(),
    carried: Object.keys(unbuiltSections(document, modules)),
  }
}
