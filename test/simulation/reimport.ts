/** Exports of a chain as the genesis of another one. */

import { fromBinary } from '@bufbuild/protobuf'
import { testApplication } from '../../src/app/testing.ts'
import type { GenesisDocument } from '../../src/app/types.ts'
import { GrantSchema } from '../../src/gen/sdk/authz/v1beta1/authz_pb.ts'
import type { Identity } from '../../src/identity/types.ts'
import { formatHex, hex } from '../../src/primitives/bytes.ts'
import { nanoseconds } from '../../src/sdk/json.ts'
import { createEmptyBranch } from '../../src/store/branch.ts'
import type { Reader } from '../../src/store/types.ts'
import type { Chain } from './chain.ts'

/** Records without a field in genesis documents, or with another value there (docs/operating.md, D52): store, and start of the key. */
const NOT_CARRIED: readonly (readonly [store: string, start: string])[] = [
  ['staking', '37'],
  ['staking', '38'],
  ['staking', '39'],
  ['staking', '50'],
  ['staking', '61'],
  ['evm', '08'],
  ['upgrade', '00'],
  ['x', '03'],
  ['x', '20'],
  ['x', '31'],
  ['oracle', '0b'],
]
/** Entries of queues and indexes that no longer refer to a record, which an import drops: of stakes, grants and code. */
const UNUSED: readonly (readonly [store: string, start: string])[] = [
  ['staking', '41'],
  ['staking', '42'],
  ['authz', '02'],
  ['evm', '01'],
]

const isAmong = (list: typeof UNUSED, store: string, key: string): boolean =>
  list.some(([name, start]) => name === store && key.startsWith(start))

/** Queues whose entries of one time have the order of arrival, and after an import that of their keys. */
const hasOrder = (store: string, key: string): boolean => store === 'staking' && /^4[123]/.test(key)

/** Whether an entry is a grant that expires at this very time, which the next block would remove. */
function expiresNow(store: string, key: string, value: string, timeNs: bigint): boolean {
  if (store !== 'authz' || !key.startsWith('01')) return false
  const { expiration } = fromBinary(GrantSchema, hex(value))
  return expiration !== undefined && nanoseconds(expiration) <= timeNs
}

/** Returns the first difference between the keys and values of a state and of its import. */
function difference(original: Reader, imported: Reader, stores: readonly string[], timeNs: bigint): string | undefined {
  for (const store of stores) {
    const entriesOf = (state: Reader): Map<string, string> => {
      const entries = [...state.iterate(store)].map(([key, value]) => [formatHex(key), formatHex(value)] as const)
      return new Map(entries.filter(([key]) => !isAmong(NOT_CARRIED, store, key)))
    }
    const [here, there] = [entriesOf(original), entriesOf(imported)]
    for (const [key, value] of here) {
      const other = there.get(key)
      if (other === value || hasOrder(store, key) || (other === undefined && isAmong(UNUSED, store, key))) continue
      if (other === undefined && expiresNow(store, key, value, timeNs)) continue
      return `store ${store}, key ${key}: ${value} becomes ${other}`
    }
    for (const key of there.keys()) if (!here.has(key)) return `store ${store}, key ${key} is new after the import`
  }
  return undefined
}

/** Returns the text of a document without its grants, of which an import drops those that expire now. */
const comparable = ({ app_state, ...rest }: GenesisDocument): string =>
  JSON.stringify({ ...rest, app_state: { ...app_state, authz: undefined } })

/** Returns the export of the tip, and how the state of a chain that starts from it differs. */
export function reimported(
  chain: Chain,
  identity: Identity,
): { readonly document: GenesisDocument; readonly fault: string | undefined } {
  const document = chain.exported()
  const app = testApplication({ identity })
  const state = createEmptyBranch()
  app.initChain(document, state)
  const { ctx, close } = chain.view()
  try {
    const fault = difference(ctx.store, state, app.stores, ctx.block.timeNs)
    if (fault) return { document, fault }
    const empty = new Uint8Array(0)
    const { height, timeNs } = ctx.block
    const again = app.exportGenesis(
      app.readContext(state, { height, timeNs, proposer: empty, hash: empty, lastCommitHash: empty }),
      document,
    )
    const isSame = comparable(again) === comparable(document)
    return { document, fault: isSame ? undefined : 'the second export differs from the first' }
  } finally {
    close()
  }
}
