/** The state of height 0 from a genesis document, and the export of a state as a document. */
import type { JsonValue } from '@bufbuild/protobuf'
import * as consensus from '../modules/consensus/keeper.ts'
import * as staking from '../modules/staking/keeper.ts'
import * as upgrade from '../modules/upgrade/keeper.ts'
import { EMPTY, formatBase64, formatHex } from '../primitives/bytes.ts'
import type { Report } from '../primitives/progress.ts'
import { formatRfc3339Nano, parseRfc3339 } from '../primitives/time.ts'
import type { Context, ReadContext } from '../sdk/context.ts'
import { withErrorPath } from '../sdk/error-path.ts'
import { errors } from '../sdk/errors.ts'
import type { GenesisContext, Module } from '../sdk/module.ts'
import type { Branch } from '../store/types.ts'
import { firstVersions } from './first-versions.ts'
import { writeForeignGenesis } from './foreign/genesis.ts'
import { watchEntries } from './genesis-entries.ts'
import { formatConsensusParams, parseConsensusParams } from './genesis-params.ts'
import { deliverGenesisTransactions } from './genesis-transactions.ts'
import { genesisValidators, requireListed } from './genesis-validators.ts'
import { contextOf, type Machine } from './machine.ts'
import { comesBefore, isOwn } from './modules.ts'
import type { Validator } from './records.ts'
import type { GenesisDocument } from './types.ts'
import { GENESIS_TRANSACTIONS, isUnbuilt, unbuiltSections } from './unbuilt-sections.ts'

function genesisContext(machine: Machine, document: GenesisDocument, base: Branch): Context {
  const timeNs = parseRfc3339(document.genesis_time)
  if (timeNs === undefined) throw errors.invalidRequest(`genesis_time ${document.genesis_time} is not RFC 3339`)
  if (document.chain_id !== machine.chainId) {
    throw errors.invalidChainId(`chain_id of the genesis is ${document.chain_id}, the node's is ${machine.chainId}`)
  }
  const initialHeight = BigInt(document.initial_height)
  return contextOf(machine, base, {
    // At height 0 signatures of genesis transactions have account number 0; a later initial height uses real numbers.
    height: initialHeight > 1n ? initialHeight : 0n,
    timeNs,
    chainId: machine.chainId,
    evmChainId: machine.evmChainId,
    proposer: EMPTY,
    hash: EMPTY,
    lastCommitHash: EMPTY,
    gasLimit: 0n,
    votes: [],
  })
}

function requireKnownModules({ modules }: Machine, { app_state: state }: GenesisDocument): void {
  const built = new Set(modules.flatMap(({ name, genesis }) => (genesis ? [name] : [])))
  for (const name of Object.keys(state)) {
    if (built.has(name) || name === GENESIS_TRANSACTIONS || isUnbuilt(name, modules)) continue
    throw errors.notSupported(`app_state.${name}: unknown module`)
  }
}

/**
 * Writes the state of height 0. Throws a `ChainError` with the module and the invalid entry. `report` receives the entries of the
 * document.
 */
export function initChain(
  machine: Machine,
  document: GenesisDocument,
  base: Branch,
  report?: Report,
): { readonly validators: readonly Validator[] } {
  const names = [...machine.modules.map(({ name }) => name), GENESIS_TRANSACTIONS]
  const watched = report && watchEntries(document, names, report)
  const ctx: GenesisContext = watched
    ? { ...genesisContext(machine, document, watched.over(base)), elements: watched.elements }
    : genesisContext(machine, document, base)
  const during = watched?.during ?? ((_name: string, run: () => void) => run())
  requireKnownModules(machine, document)
  consensus.setParams(ctx, parseConsensusParams(document.consensus_params))
  upgrade.setModuleVersions(ctx, firstVersions(machine.identity, machine.modules))
  const init = ({ name, genesis }: Module): void => {
    if (!genesis) return
    const json = (document.app_state[name] ?? genesis.defaults(ctx)) as JsonValue
    during(name, () => withErrorPath(`genesis of module ${name}`, () => genesis.init(ctx, json)))
  }
  const early = machine.modules.filter(({ name }) => comesBefore(name, GENESIS_TRANSACTIONS))
  early.forEach(init)
  const updates = [...staking.updatesOfBlock(ctx)]
  withErrorPath('genesis', () => {
    let count = 0
    during(GENESIS_TRANSACTIONS, () => {
      count = deliverGenesisTransactions(machine, ctx, document.app_state[GENESIS_TRANSACTIONS])
    })
    if (count > 0) for (const update of staking.updateValidatorSet(ctx)) updates.push(update)
  })
  machine.modules.filter((module) => !early.includes(module)).forEach(init)
  if (machine.identity.behaviours.foreignGenesis) writeForeignGenesis(ctx, document.app_state)
  base.events.length = 0
  const validators = genesisValidators(updates)
  requireListed(document, validators)
  return { validators }
}

/**
 * Returns the document of a chain that continues from a state. `origin` is the genesis of this chain, from which sections of
 * modules that this build lacks are copied.
 */
export function exportGenesis(machine: Machine, ctx: ReadContext, origin: GenesisDocument): GenesisDocument {
  const sections = machine.modules.flatMap(({ name, genesis }) => {
    if (!genesis) return []
    const section = genesis.export(ctx)
    const isForeign = isOwn(name) && ctx.identity.behaviours.ownStoreOutsideAppHash
    return isForeign && JSON.stringify(section) === JSON.stringify(genesis.defaults(ctx))
      ? []
      : [[name, section] as const]
  })
  const state: Record<string, unknown> = {
    ...unbuiltSections(origin, machine.modules),
    [GENESIS_TRANSACTIONS]: { gen_txs: [] },
    ...Object.fromEntries(sections),
  }
  return {
    chain_id: origin.chain_id,
    genesis_time: formatRfc3339Nano(ctx.block.timeNs),
    initial_height: (ctx.block.height + 1n).toString(),
    consensus_params: formatConsensusParams(consensus.params(ctx)),
    app_hash: '',
    app_state: Object.fromEntries(Object.entries(state).sort(([a], [b]) => (a < b ? -1 : 1))),
    validators: staking.validatorSet(ctx).map(({ address, publicKey, power, moniker }) => ({
      address: formatHex(address).toUpperCase(),
      name: moniker,
      power: power.toString(),
      pub_key: { type: 'tendermint/PubKeyEd25519', value: formatBase64(publicKey) },
    })),
  }
}
