/** Genesis of evidence: the recorded infractions. */
import { create } from '@bufbuild/protobuf'
import { GenesisStateSchema } from '../../gen/sdk/evidence/v1beta1/genesis_pb.ts'
import { sha256 } from '../../primitives/hash.ts'
import { withErrorPath } from '../../sdk/error-path.ts'
import { errors } from '../../sdk/errors.ts'
import { fromJson, toJson } from '../../sdk/json.ts'
import type { GenesisHandlers } from '../../sdk/module.ts'
import * as state from './state.ts'

export const genesis: GenesisHandlers = {
  defaults: (ctx) => toJson(ctx, GenesisStateSchema, create(GenesisStateSchema)),
  init(ctx, json) {
    for (const [i, record] of fromJson(ctx, GenesisStateSchema, json, 'evidence').evidence.entries()) {
      withErrorPath(`evidence[${i}]`, () => {
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
