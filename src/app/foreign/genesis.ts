/**
 * Genesis writes of foreign modules, which this build does not have: parameters and bound ports of the IBC modules, the
 * crisis fee, the Wasm parameters. They do not change while the modules are unused (docs/state-layout.md#foreign-modules).
 */
import { BinaryWriter } from '@bufbuild/protobuf/wire'
import { concat, encodeUint64, utf8 } from '../../primitives/bytes.ts'
import type { AminoValue } from '../../sdk/amino-fields.ts'
import { canonicalJson } from '../../sdk/amino-json.ts'
import type { Context } from '../../sdk/context.ts'
import { withErrorPath } from '../../sdk/error-path.ts'
import { errors } from '../../sdk/errors.ts'

/** Stores of the reference that no module of this build owns. */
export const FOREIGN_STORES: readonly string[] = [
  ...['08-wasm', 'capability', 'crisis', 'feeibc', 'ibc', 'icacontroller', 'icahost', 'params', 'transfer', 'wasm'],
]

type Section = Readonly<Record<string, unknown>>

/** Returns an object within a section; an absent one is empty. */
function part(section: Section, name: string): Section {
  const value = section[name] ?? {}
  if (typeof value !== 'object' || Array.isArray(value)) throw errors.invalidRequest(`${name}: expected an object`)
  return value as Section
}

function list(section: Section, name: string): readonly unknown[] {
  const value = section[name] ?? []
  if (!Array.isArray(value)) throw errors.invalidRequest(`${name}: expected a list`)
  return value
}

/** Returns a list of objects within a section; an absent one is empty. */
function sections(section: Section, name: string): readonly Section[] {
  const entries = list(section, name)
  for (const [i, entry] of entries.entries()) {
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
      throw errors.invalidRequest(`${name}[${i}]: expected an object`)
    }
  }
  return entries as readonly Section[]
}

function integer(section: Section, name: string): bigint {
  const text = String(section[name] ?? 0)
  const number = /^\d{1,20}$/.test(text) ? BigInt(text) : undefined
  if (number === undefined || number !== BigInt.asUintN(64, number)) {
    throw errors.invalidRequest(`${name}: expected a whole number below 2^64, got "${text}"`)
  }
  return number
}

function text(section: Section, name: string): string {
  const value = section[name] ?? ''
  if (typeof value !== 'string') throw errors.invalidRequest(`${name}: expected a text`)
  return value
}

/** Writes a parameter of a subspace as JSON, under its own name. */
function setParam(ctx: Context, subspace: string, name: string, value: unknown): void {
  ctx.store.set('params', utf8(`${subspace}/${name}`), utf8(canonicalJson(value as AminoValue)))
}

interface Owner {
  readonly module: string
  readonly name: string
}

function encodeOwners(owners: readonly Owner[]): Uint8Array {
  const writer = new BinaryWriter()
  for (const { module, name } of owners) {
    writer.uint32(0x0a).bytes(new BinaryWriter().uint32(0x0a).string(module).uint32(0x12).string(name).finish())
  }
  return writer.finish()
}

const INDEX_KEY = utf8('index')
const capabilityKey = (index: bigint): Uint8Array => concat(utf8('capability_index'), encodeUint64(index))

/**
 * Writes the capabilities of a section. `bind` writes the capability of a port, or returns false if the section has bound the
 * port already.
 */
function writeCapabilities(ctx: Context, section: Section) {
  let index = integer(section, 'index') || 1n
  const bound = new Set<string>()
  for (const entry of sections(section, 'owners')) {
    const owners: readonly Owner[] = sections(part(entry, 'index_owners'), 'owners').map((owner) => ({
      module: text(owner, 'module'),
      name: text(owner, 'name'),
    }))
    for (const { module, name } of owners) bound.add(`${module}/${name}`)
    ctx.store.set('capability', capabilityKey(integer(entry, 'index')), encodeOwners(owners))
  }
  ctx.store.set('capability', INDEX_KEY, encodeUint64(index))
  return {
    bind(module: string, port: string): boolean {
      const name = `ports/${port}`
      if (bound.has(`${module}/${name}`)) return false
      const owners = ['ibc', module].sort((a, b) => (a < b ? -1 : 1)).map((owner) => ({ module: owner, name }))
      ctx.store.set('capability', capabilityKey(index), encodeOwners(owners))
      index++
      ctx.store.set('capability', INDEX_KEY, encodeUint64(index))
      return true
    },
  }
}

type Capabilities = ReturnType<typeof writeCapabilities>

/** Encodes the `ConnectionEnd` of the chain to itself: client, version, state OPEN, counterparty with the prefix `ibc`. */
function localhostConnection(): Uint8Array {
  const version = new BinaryWriter().uint32(0x0a).string('1')
  for (const feature of ['ORDER_ORDERED', 'ORDER_UNORDERED']) version.uint32(0x12).string(feature)
  const prefix = new BinaryWriter().uint32(0x0a).string('ibc').finish()
  const counterparty = new BinaryWriter().uint32(0x0a).string('09-localhost')
  counterparty.uint32(0x12).string('connection-localhost').uint32(0x1a).bytes(prefix)
  const end = new BinaryWriter().uint32(0x0a).string('09-localhost').uint32(0x12).bytes(version.finish())
  return end.uint32(0x18).int32(3).uint32(0x22).bytes(counterparty.finish()).finish()
}

function writeIbc(ctx: Context, section: Section): void {
  const client = part(section, 'client_genesis')
  const connection = part(section, 'connection_genesis')
  const sequence = (name: string, of: Section, field: string) =>
    ctx.store.set('ibc', utf8(name), encodeUint64(integer(of, field)))
  setParam(ctx, 'ibc', 'AllowedClients', list(part(client, 'params'), 'allowed_clients'))
  sequence('nextClientSequence', client, 'next_client_sequence')
  ctx.store.set('ibc', utf8('connections/connection-localhost'), localhostConnection())
  sequence('nextConnectionSequence', connection, 'next_connection_sequence')
  const maxBlockTime = integer(part(connection, 'params'), 'max_expected_time_per_block')
  setParam(ctx, 'ibc', 'MaxExpectedTimePerBlock', maxBlockTime.toString())
  sequence('nextChannelSequence', part(section, 'channel_genesis'), 'next_channel_sequence')
}

function writeTransfer(ctx: Context, section: Section, capabilities: Capabilities): void {
  const port = text(section, 'port_id')
  const params = part(section, 'params')
  ctx.store.set('transfer', Uint8Array.of(0x01), utf8(port))
  capabilities.bind('transfer', port)
  setParam(ctx, 'transfer', 'SendEnabled', params['send_enabled'] === true)
  setParam(ctx, 'transfer', 'ReceiveEnabled', params['receive_enabled'] === true)
}

/** Binds a port of interchain accounts. The module stores a new one under the port's name. */
function bindAccountPort(ctx: Context, module: string, port: string, capabilities: Capabilities): void {
  if (capabilities.bind(module, port)) ctx.store.set(module, utf8(`port/${port}`), Uint8Array.of(1))
}

function writeInterchainAccounts(ctx: Context, section: Section, capabilities: Capabilities): void {
  const controller = part(section, 'controller_genesis_state')
  const host = part(section, 'host_genesis_state')
  const params = part(host, 'params')
  for (const port of list(controller, 'ports')) bindAccountPort(ctx, 'icacontroller', String(port), capabilities)
  setParam(ctx, 'icacontroller', 'ControllerEnabled', part(controller, 'params')['controller_enabled'] === true)
  bindAccountPort(ctx, 'icahost', text(host, 'port'), capabilities)
  setParam(ctx, 'icahost', 'HostEnabled', params['host_enabled'] === true)
  setParam(ctx, 'icahost', 'AllowMessages', list(params, 'allow_messages'))
}

function writeCrisis(ctx: Context, section: Section): void {
  const fee = part(section, 'constant_fee')
  const coin = new BinaryWriter().uint32(0x0a).string(text(fee, 'denom')).uint32(0x12).string(text(fee, 'amount'))
  ctx.store.set('crisis', Uint8Array.of(0x01), coin.finish())
}

/** Numbers of `AccessType`: the accounts that can upload or instantiate Wasm contracts. */
const ACCESS: Readonly<Record<string, number>> = { Unspecified: 0, Nobody: 1, Everybody: 3, AnyOfAddresses: 4 }

function accessOf(name: string): number {
  const number = ACCESS[name]
  if (number === undefined)
    throw errors.invalidRequest(
      `${name} is not an access type: expected Unspecified, Nobody, Everybody or AnyOfAddresses`,
    )
  return number
}

function writeWasm(ctx: Context, section: Section): void {
  const params = part(section, 'params')
  const upload = part(params, 'code_upload_access')
  const config = new BinaryWriter()
  const permission = accessOf(text(upload, 'permission'))
  if (permission !== 0) config.uint32(0x08).int32(permission)
  for (const address of list(upload, 'addresses')) config.uint32(0x1a).string(String(address))
  const value = new BinaryWriter().uint32(0x0a).bytes(config.finish())
  const instantiate = accessOf(text(params, 'instantiate_default_permission'))
  if (instantiate !== 0) value.uint32(0x10).int32(instantiate)
  ctx.store.set('wasm', Uint8Array.of(0x10), value.finish())
  for (const entry of sections(section, 'sequences')) {
    const key = new Uint8Array(Buffer.from(text(entry, 'id_key'), 'base64'))
    ctx.store.set('wasm', key, encodeUint64(integer(entry, 'value')))
  }
}

/**
 * Writes the state of the foreign modules that a genesis document has sections for. Other contents of the sections are only
 * kept for export (ADR 0009). Throws sdk 18 with the path of an invalid value.
 */
export function writeForeignGenesis(ctx: Context, state: Section): void {
  const write = (name: string, run: (section: Section) => void): void => {
    if ((state[name] ?? null) === null) return
    withErrorPath(`genesis of module ${name}`, () => run(part(state, name)))
  }
  let capabilities: Capabilities = { bind: () => false }
  write('capability', (section) => {
    capabilities = writeCapabilities(ctx, section)
  })
  write('transfer', (section) => writeTransfer(ctx, section, capabilities))
  write('ibc', (section) => writeIbc(ctx, section))
  write('interchainaccounts', (section) => writeInterchainAccounts(ctx, section, capabilities))
  write('wasm', (section) => writeWasm(ctx, section))
  write('crisis', (section) => writeCrisis(ctx, section))
}
