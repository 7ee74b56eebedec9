/** Genesis of slashing: parameters, signing infos and missed blocks. */
import { create } from '@bufbuild/protobuf'
import { GenesisStateSchema } from '../../gen/sdk/slashing/v1beta1/genesis_pb.ts'
import type { ValidatorSigningInfo } from '../../gen/sdk/slashing/v1beta1/slashing_pb.ts'
import * as address from '../../identity/address.ts'
import type { Context } from '../../sdk/context.ts'
import { required, withErrorPath } from '../../sdk/error-path.ts'
import { errors } from '../../sdk/errors.ts'
import { fromJson, toJson } from '../../sdk/json.ts'
import type { GenesisHandlers } from '../../sdk/module.ts'
import * as staking from '../staking/keeper.ts'
import { isTombstoned } from './keeper.ts'
import { defaultParams, params, validateParams } from './params.ts'
import { storeKey } from './signing.ts'
import * as state from './state.ts'

function setSigningInfo(ctx: Context, consensus: Uint8Array, info: ValidatorSigningInfo): void {
  state.signingInfos.set(ctx, consensus, { ...info, address: address.formatConsensus(ctx, consensus) })
}

/** Throws sdk 18 if a tombstoned validator is not in jail: it could validate again. */
function requireJailedIfTombstoned(ctx: Context, consensus: Uint8Array): void {
  if (ctx.identity.behaviours.tombstonedKeysReturn || !isTombstoned(ctx, consensus)) return
  const operator = staking.operatorOf(ctx, consensus)
  const validator = operator && staking.getValidator(ctx, operator)
  if (!validator || validator.jailed) return
  const text = address.formatConsensus(ctx, consensus)
  throw errors.invalidRequest(`${text} is tombstoned, but its validator ${validator.operatorAddress} is not jailed`)
}

export const genesis: GenesisHandlers = {
  defaults: (ctx) => toJson(ctx, GenesisStateSchema, create(GenesisStateSchema, { params: defaultParams() })),
  init(ctx, json) {
    const data = fromJson(ctx, GenesisStateSchema, json, 'slashing')
    const chosen = data.params ?? defaultParams()
    withErrorPath('params', () => validateParams(chosen))
    for (const operator of staking.operators(ctx)) storeKey(ctx, operator)
    for (const [i, { address: text, validatorSigningInfo }] of data.signingInfos.entries()) {
      withErrorPath(`signing_infos[${i}]`, () => {
        const consensus = address.parseConsensus(ctx, text)
        setSigningInfo(ctx, consensus, required(validatorSigningInfo, 'validator_signing_info'))
        requireJailedIfTombstoned(ctx, consensus)
      })
    }
    for (const [i, { address: text, missedBlocks }] of data.missedBlocks.entries()) {
      withErrorPath(`missed_blocks[${i}]`, () => {
        const consensus = address.parseConsensus(ctx, text)
        for (const { index, missed } of missedBlocks) {
          if (index < 0n) throw errors.invalidRequest(`index ${index} is negative`)
          state.missed.set(ctx, [consensus, index], missed)
        }
      })
    }
    state.params.set(ctx, chosen)
  },
  export(ctx) {
    const text = (consensus: Uint8Array) => address.formatConsensus(ctx, consensus)
    const infos = [...state.signingInfos.iterate(ctx)]
    return toJson(
      ctx,
      GenesisStateSchema,
      create(GenesisStateSchema, {
        params: params(ctx),
        signingInfos: infos.map(([consensus, validatorSigningInfo]) => ({
          address: text(consensus),
          validatorSigningInfo,
        })),
        missedBlocks: infos.map(([consensus]) => ({
          address: text(consensus),
          missedBlocks: [...state.missed.iterate(ctx, { prefix: consensus })]
            .map(([[, index], missed]) => ({ index, missed }))
            .sort((a, b) => (a.index < b.index ? -1 : 1)),
        })),
      }),
    )
  },
}
