/**
 * The localhost client of IBC, through which the reference chain addresses itself. Every block updates it
 * (docs/state-layout.md#foreign-modules).
 */
import { BinaryWriter } from '@bufbuild/protobuf/wire'
import { utf8 } from '../../primitives/bytes.ts'
import type { Context } from '../../sdk/context.ts'

const STORE = 'ibc'
const KEY = utf8('clients/09-localhost/clientState')
const TYPE_URL = '/ibc.lightclients.localhost.v2.ClientState'

/** Returns the number at the end of a chain id such as `name-2`, or 0 for an id of another form, `name-0` included. */
export function revisionOf(chainId: string): bigint {
  const match = /[^\n-]-([1-9]\d*)$/.exec(chainId)
  return match ? BigInt(match[1]!) : 0n
}

/** Encodes `Any{ClientState{latest_height: {revision_number, revision_height}}}`. */
function encodeClientState(revision: bigint, height: bigint): Uint8Array {
  const latest = new BinaryWriter()
  if (revision > 0n) latest.uint32(0x08).uint64(revision)
  if (height > 0n) latest.uint32(0x10).uint64(height)
  const state = new BinaryWriter().uint32(0x0a).bytes(latest.finish()).finish()
  return new BinaryWriter().uint32(0x0a).string(TYPE_URL).uint32(0x12).bytes(state).finish()
}

/** Writes the current height and revision to the client. Runs at the beginning of a block. */
export function updateLocalhostClient(ctx: Context): void {
  const { chainId, height } = ctx.block
  ctx.store.set(STORE, KEY, encodeClientState(revisionOf(chainId), height))
}
