/** Genesis of evidence: the recorded infractions. */
import { create, isMessage } from '@bufbuild/protobuf'
import type { Any } from '@bufbuild/protobuf/wkt'
import { type Equivocation, EquivocationSchema } from '../../gen/sdk/evidence/v1beta1/evidence_pb.ts'
import { GenesisStateSchema } from '../../gen/sdk/evidence/v1beta1/genesis_pb.ts'
import * as address from '../../identity/address.ts'
import { sha256 } from '../../primitives/hash.ts'
import type { ReadContext } from '../../sdk/context.ts'
import { withErrorPath } from '../../sdk/error-path.ts'
import { errors } from '../../sdk/errors.ts'
import { fromJson, toJson } from '../../sdk/json.ts'
import type { GenesisHandlers } from '../../sdk/module.ts'
import { pack, unpack } from '../../sdk/packed.ts'
import * as state from './state.ts'

/** Returns a record with its address in canonical spelling, since its hash is its key. */
function canonical(ctx: ReadContext, record: Any): Any {
  const { message } = unpack(ctx, record)
  if (!isMessage(message, EquivocationSchema)) return record
  const consensusAddress = address.canonicalOrSame(message.consensusAddress)
  const equivocation: Equivocation = { ...message, consensusAddress }
  return pack(ctx, EquivocationSchema, equivocation)
}

export const genesis: GenesisHandlers = {
  defaults: (ctx) => toJson(ctx, GenesisStateSchema, create(GenesisStateSchema)),
  init(ctx, json) {
    for (const [i, given] of fromJson(ctx, GenesisStateSchema, json, 'evidence').evidence.entries()) {
      withErrorPath(`evidence[${i}]`, () => {
        const record = canonical(ctx, given)
        const hash = sha256(record.value)
        if (state.records.has(ctx, hash)) throw errors.invalidRequest('duplicate evidence')
        state.records.set(ctx, hash, record)
      })
    }
  },
  export: (ctx) =>
    toJson(
      ctx,
      GenesisStateSchema,
      create(GenesisStateSchema, { evidence: [...state.records.iterate(ctx)].map(([, record]) => record) }),
    ),
}
