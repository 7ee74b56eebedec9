import { beforeEach, describe, expect, test } from 'vitest'
import { identityOf } from '../../identity/profiles.ts'
import { formatHex, formatUtf8, hex, utf8 } from '../../primitives/bytes.ts'
import type { BranchedContext } from '../../sdk/context.ts'
import { testContext } from '../../sdk/testing.ts'
import { countTransaction } from './counter.ts'
import { writeForeignGenesis } from './genesis.ts'
import { revisionOf, updateLocalhostClient } from './localhost.ts'

let ctx: BranchedContext
beforeEach(() => {
  ctx = testContext({ identity: identityOf('nibiru'), block: { chainId: 'nibiru-localnet-0' } })
})

/** Returns the entries of a store, with keys as text and values as hex. */
const stored = (store: string) =>
  [...ctx.store.iterate(store, {})].map(([key, value]) => [formatUtf8(key), formatHex(value)])

describe('the localhost client', () => {
  test('contains the height of its chain', () => {
    ctx.block.height = 300n
    updateLocalhostClient(ctx)
    const key = 'clients/09-localhost/clientState'
    // Any{type_url: 42 bytes, value: ClientState{latest_height: Height{revision_height: 300}}}
    const typeUrl = formatHex(utf8('/ibc.lightclients.localhost.v2.ClientState'))
    expect(stored('ibc')).toEqual([[key, `0a2a${typeUrl}12050a0310ac02`]])
    ctx.block.height = 301n
    updateLocalhostClient(ctx)
    expect(stored('ibc')).toEqual([[key, `0a2a${typeUrl}12050a0310ad02`]])
  })

  test('contains the revision, which is the number at the end of the chain id', () => {
    const revisions = ['nibiru-localnet-0', 'cataclysm-1', 'chain-2-30', 'chain', 'chain-01', 'chain-', '-1', 'a--1']
    expect(revisions.map(revisionOf)).toEqual([0n, 1n, 30n, 0n, 0n, 0n, 0n, 0n])
    Object.assign(ctx.block, { chainId: 'cataclysm-1' })
    updateLocalhostClient(ctx)
    expect(stored('ibc')[0]![1]).toMatch(/12060a0408011001$/)
  })
})

test('each block counts its SDK transactions from one', () => {
  const counts = () => formatHex(ctx.store.get('wasm', Uint8Array.of(0x08))!)
  ctx.block.height = 0n
  countTransaction(ctx)
  expect(counts()).toBe('000000000000000000000001')
  ctx.block.height = 7n
  countTransaction(ctx)
  countTransaction(ctx)
  expect(counts()).toBe('000000000000000700000002')
})

describe('genesis', () => {
  const capability = { index: '1', owners: [] }
  const transfer = { port_id: 'transfer', denom_traces: [], params: { send_enabled: true, receive_enabled: false } }

  test('binds ports in order, sorts the owners of each by name, and stores the next index', () => {
    const interchainaccounts = {
      controller_genesis_state: { ports: ['icacontroller-1'], params: { controller_enabled: true } },
      host_genesis_state: { port: 'icahost', params: { host_enabled: false, allow_messages: ['*', '<a>'] } },
    }
    writeForeignGenesis(ctx, { capability, transfer, interchainaccounts })
    const owner = (module: string, name: string) => {
      const [m, n] = [utf8(module), utf8(name)]
      const body = `0a${m.length.toString(16).padStart(2, '0')}${formatHex(m)}12${n.length.toString(16).padStart(2, '0')}${formatHex(n)}`
      return `0a${(body.length / 2).toString(16).padStart(2, '0')}${body}`
    }
    const owners = (module: string, port: string) => {
      const sorted = ['ibc', module].sort((a, b) => (a < b ? -1 : 1))
      return sorted.map((one) => owner(one, `ports/${port}`)).join('')
    }
    expect(stored('capability')).toEqual([
      ['capability_index\0\0\0\0\0\0\0\u0001', owners('transfer', 'transfer')],
      ['capability_index\0\0\0\0\0\0\0\u0002', owners('icacontroller', 'icacontroller-1')],
      ['capability_index\0\0\0\0\0\0\0\u0003', owners('icahost', 'icahost')],
      ['index', '0000000000000004'],
    ])
    expect(stored('icahost')).toEqual([['port/icahost', '01']])
    expect(stored('transfer')).toEqual([['\u0001', formatHex(utf8('transfer'))]])
    const params = stored('params').map(([key, value]) => [key, formatUtf8(hex(value!))])
    expect(params).toEqual([
      ['icacontroller/ControllerEnabled', 'true'],
      ['icahost/AllowMessages', '["*","\\u003ca\\u003e"]'],
      ['icahost/HostEnabled', 'false'],
      ['transfer/ReceiveEnabled', 'false'],
      ['transfer/SendEnabled', 'true'],
    ])
  })

  test('does not bind a port that the document has bound already', () => {
    const owners = [
      { module: 'ibc', name: 'ports/transfer' },
      { module: 'transfer', name: 'ports/transfer' },
    ]
    writeForeignGenesis(ctx, {
      capability: { index: '2', owners: [{ index: '1', index_owners: { owners } }] },
      transfer,
    })
    expect(stored('capability').map(([key]) => key)).toEqual(['capability_index\0\0\0\0\0\0\0\u0001', 'index'])
    expect(stored('capability')[1]![1]).toBe('0000000000000002')
  })

  test('writes the crisis fee and the Wasm parameters of the document', () => {
    writeForeignGenesis(ctx, {
      crisis: { constant_fee: { denom: 'unibi', amount: '1000' } },
      wasm: {
        params: {
          code_upload_access: { permission: 'AnyOfAddresses', addresses: ['a'] },
          instantiate_default_permission: 'Nobody',
        },
        sequences: [{ id_key: 'BA==', value: '3' }],
      },
    })
    expect(stored('crisis')).toEqual([['\u0001', '0a05756e696269120431303030']])
    expect(stored('wasm')).toEqual([
      ['\u0004', '0000000000000003'],
      ['\u0010', '0a0508041a01611001'],
    ])
  })

  test('skips absent sections, and names the field of an invalid one', () => {
    writeForeignGenesis(ctx, { params: null, upgrade: {} })
    expect(ctx.branchStore.changes()).toEqual([])
    const wasm = { params: { code_upload_access: { permission: 'Selected' } } }
    expect(() => writeForeignGenesis(ctx, { wasm })).toThrow(
      'genesis of module wasm: Selected is not an access type: expected Unspecified, Nobody, Everybody or AnyOfAddresses',
    )
    expect(() => writeForeignGenesis(ctx, { ibc: { client_genesis: { next_client_sequence: 'x' } } })).toThrow(
      'genesis of module ibc: next_client_sequence: expected a whole number below 2^64, got "x"',
    )
    expect(() => writeForeignGenesis(ctx, { capability: { index: '1', owners: 'none' } })).toThrow(
      'genesis of module capability: owners: expected a list',
    )
  })
})

test('sections and entries of the wrong type are refused with their path', () => {
  const write = (state: object) => () => writeForeignGenesis(ctx, state as never)
  expect(write({ wasm: [] })).toThrow('genesis of module wasm: wasm: expected an object')
  expect(write({ capability: { owners: [null] } })).toThrow('owners[0]: expected an object')
  const owners = (entry: unknown) => ({ capability: { owners: [{ index: '1', index_owners: { owners: [entry] } }] } })
  expect(write(owners(null))).toThrow('owners[0]: expected an object')
  expect(write(owners({ module: 7 }))).toThrow('module: expected a text')
  expect(write({ capability: { index: '18446744073709551616' } })).toThrow(
    'index: expected a whole number below 2^64, got "18446744073709551616"',
  )
  expect(write({ capability: null, ibc: undefined })).not.toThrow()
})
