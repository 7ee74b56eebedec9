/** The state of height 0 from a genesis document, and back. */
import type { JsonValue } from '@bufbuild/protobuf'
import * as consensus from '../modules/consensus/keeper.ts'
import * as staking from '../modules/staking/keeper.ts'
import * as upgrade from '../modules/upgrade/keeper.ts'
import { EMPTY, formatBase64, formatHex } from '../primitives/bytes.ts'
import { formatRfc3339Nano, parseRfc3339 } from '../primitives/time.ts'
import type { Context, ReadContext } from '../sdk/context.ts'
import { createContext, createTransient } from '../sdk/create-context.ts'
import { errors } from '../sdk/errors.ts'
import type { Module } from '../sdk/module.ts'
import { inPlace } from '../sdk/place.ts'
import type { Branch } from '../store/types.ts'
import { carriedSections, GENESIS_TRANSACTIONS, isCarried } from './carried.ts'
import { firstVersions } from './first-versions.ts'
import { writeForeignGenesis } from './foreign/genesis.ts'
import { formatConsensusParams, parseConsensusParams } from './genesis-params.ts'
import { deliverGenesisTransactions } from './genesis-transactions.ts'
import { genesisValidators, requireListed } from './genesis-validators.ts'
import type { Machine } from './machine.ts'
import { comesBefore } from './modules.ts'
import type { Validator } from './records.ts'
import type { GenesisDocument } from './types.ts'

function genesisContext(machine: Machine, document: GenesisDocument, base: Branch): Context {
  const timeNs = parseRfc3339(document.genesis_time)
  if (timeNs === undefined) throw errors.invalidRequest(`genesis_time ${document.genesis_time} is not RFC 3339`)
  if (document.chain_id !== machine.chainId) {
    throw errors.invalidChainId(`genesis is of ${document.chain_id}, this node of ${machine.chainId}`)
  }
  const initialHeight = BigInt(document.initial_height)
  return createContext({
    branch: base,
    transient: createTransient(),
    identity: machine.identity,
    app: machine.router.facts,
    block: {
      // Signatures of genesis transactions know no account number at height 0: only a later beginning has another.
      height: initialHeight > 1n ? initialHeight : 0n,
      timeNs,
      chainId: machine.chainId,
      evmChainId: machine.evmChainId,
      proposer: EMPTY,
      hash: EMPTY,
      lastCommitHash: EMPTY,
      gasLimit: 0n,
      votes: [],
    },
  })
}

function requireKnownModules({ modules }: Machine, { app_state: state }: GenesisDocument): void {
  const built = new Set(modules.flatMap(({ name, genesis }) => (genesis ? [name] : [])))
  for (const name of Object.keys(state)) {
    if (built.has(name) || name === GENESIS_TRANSACTIONS || isCarried(name, modules)) continue
    throw errors.notSupported(`app_state.${name}: no module of that name is known`)
  }
}

/** Writes the state of height 0. Throws a `ChainError` naming the module and the place that is wrong. */
export function initChain(
  machine: Machine,
  document: GenesisDocument,
  base: Branch,
): { readonly validators: readonly Validator[] } {
  const ctx = genesisContext(machine, document, base)
  requireKnownModules(machine, document)
  consensus.setParams(ctx, parseConsensusParams(document.consensus_params))
  upgrade.setModuleVersions(ctx, firstVersions(machine.identity, machine.modules))
  const init = ({ name, genesis }: Module): void => {
    if (!genesis) return
    const json = (document.app_state[name] ?? genesis.defaults(ctx)) as JsonValue
    inPlace(`genesis of module ${name}`, () => genesis.init(ctx, json))
  }
  const early = machine.modules.filter(({ name }) => comesBefore(name, GENESIS_TRANSACTIONS))
  early.forEach(init)
  const updates = [...staking.updatesOfBlock(ctx)]
  inPlace('genesis', () => {
    const count = deliverGenesisTransactions(machine, ctx, document.app_state[GENESIS_TRANSACTIONS])
    if (count > 0) updates.push(...staking.updateValidatorSet(ctx))
  })
  machine.modules.filter((module) => !early.includes(module)).forEach(init)
  if (machine.identity.behaviours.foreignGenesis) writeForeignGenesis(ctx, document.app_state)
  base.events.length = 0
  const validators = genesisValidators(updates)
  requireListed(document, validators)
  return { validators }
}

/**
 * The document of a chain that goes on from a state. `origin` is what this chain began with: sections of modules that are
 * not built are handed on as it had them.
 */
export function exportGenesis(machine: Machine, ctx: ReadContext, origin: GenesisDocument): GenesisDocument {
  const sections = machine.modules.flatMap(({ name, genesis }) =>
    genesis ? [[name, genesis.export(ctx)] as const] : [],
  )
  const state: Record<string, unknown> = {
    ...carriedSections(origin, machine.modules),
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
