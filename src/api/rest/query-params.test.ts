import { create } from '@bufbuild/protobuf'
import { describe, expect, test } from 'vitest'
import { EthCallRequestSchema, QueryTraceTxRequestSchema } from '../../gen/chain/evm/v1/query_pb.ts'
import { almanac } from '../../identity/profiles/almanac.ts'
import { formatHex } from '../../primitives/bytes.ts'
import { ChainError } from '../../primitives/errors.ts'
import { createJsonWriter } from '../json.ts'
import { echoSchema } from '../testing.ts'
import { applyQuery, parseQuery } from './query-params.ts'

const write = createJsonWriter(almanac).of(echoSchema)
const NO_FIELDS = { bound: new Set<string>() }

function parse(query: string): Record<string, unknown> {
  const message = create(echoSchema)
  applyQuery(almanac, echoSchema, message, parseQuery(query), NO_FIELDS)
  return JSON.parse(write(message))
}

function refusal(query: string): ChainError {
  try {
    parse(query)
  } catch (error) {
    if (error instanceof ChainError) return error
    throw error
  }
  throw new Error(`${query} was taken`)
}

interface Scalars {
  readonly type: string
  readonly taken: readonly (readonly [raw: string, value: unknown])[]
  readonly refused: readonly string[]
}

/** Values that the reference accepts and refuses, by measurement, except where this node is deliberately stricter or more lenient. */
const SCALARS: readonly Scalars[] = [
  {
    type: 'int32',
    taken: [
      ['5', 5],
      ['-5', -5],
      ['0x10', 16],
      ['010', 10],
      ['0b101', 5],
      ['0o17', 15],
      ['2147483647', 2147483647],
      ['-2147483648', -2147483648],
      ['%2B5', 5],
    ],
    refused: ['1_000', '2147483648', 'abc', '', '5.0', '1e3', '%205'],
  },
  {
    type: 'uint32',
    taken: [
      ['0', 0],
      ['4294967295', 4294967295],
    ],
    refused: ['4294967296', '-1'],
  },
  {
    type: 'int64',
    taken: [
      ['9223372036854775807', '9223372036854775807'],
      ['-9223372036854775808', '-9223372036854775808'],
      ['0x7fffffffffffffff', '9223372036854775807'],
    ],
    refused: ['9223372036854775808'],
  },
  {
    type: 'uint64',
    taken: [['18446744073709551615', '18446744073709551615']],
    refused: ['18446744073709551616', '-1', '1e3', '%205', ''],
  },
  {
    type: 'bool',
    taken: [
      ['true', true],
      ['1', true],
      ['t', true],
      ['T', true],
      ['TRUE', true],
      ['True', true],
      ['false', false],
      ['0', false],
      ['f', false],
      ['F', false],
      ['FALSE', false],
      ['False', false],
    ],
    refused: ['yes', '', 'tRUE', 'on'],
  },
  {
    type: 'double',
    taken: [
      ['1.5', 1.5],
      ['NaN', 'NaN'],
      ['Infinity', 'Infinity'],
      ['-inf', '-Infinity'],
      ['0x1p-2', 0.25],
      ['.5', 0.5],
    ],
    refused: ['1e400', 'abc', ''],
  },
  {
    type: 'float',
    taken: [
      ['0.1', 0.1],
      ['16777217', 16777216],
    ],
    refused: ['3.4e39'],
  },
  {
    type: 'string',
    taken: [
      ['', ''],
      ['a%20b%2Bc', 'a b+c'],
      ['a+b', 'a b'],
      ['%FF', '\ufffd'],
      ['%00', '\u0000'],
      ['%E4%BD%A0', '\u4f60'],
    ],
    refused: [],
  },
  {
    type: 'bytes',
    taken: [
      ['AQI%3D', 'AQI='],
      ['AQI', 'AQI='],
      ['AQID', 'AQID'],
      ['-_8%3D', '+/8='],
      ['%2B%2F8%3D', '+/8='],
      ['+/8=', '+/8='],
      ['', null],
      ['AQ%0AID', 'AQID'],
      ['-_8', '+/8='],
    ],
    refused: ['0x0102', 'zz%21'],
  },
  {
    type: 'enum',
    taken: [
      ['BOND_STATUS_BONDED', 'BOND_STATUS_BONDED'],
      ['3', 'BOND_STATUS_BONDED'],
      ['2', 2],
      ['0', 'BOND_STATUS_UNSPECIFIED'],
      ['-1', -1],
    ],
    refused: ['', 'bonded'],
  },
  {
    type: 'timestamp',
    taken: [
      ['2024-01-02T03:04:05Z', '2024-01-02T03:04:05Z'],
      ['2024-01-02T03:04:05.5Z', '2024-01-02T03:04:05.500Z'],
      ['2024-01-02T03:04:05.123456789Z', '2024-01-02T03:04:05.123456789Z'],
      ['2024-01-02T03:04:05%2B02:00', '2024-01-02T01:04:05Z'],
      ['2024-01-02T03:04:05+02:00', '2024-01-02T01:04:05Z'],
      ['null', '1970-01-01T00:00:00Z'],
      ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59Z'],
      ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00Z'],
    ],
    refused: ['1704164645', '2024-01-02', '', '2024-02-30T00:00:00Z'],
  },
  {
    type: 'timestamp_nonnull',
    taken: [['2024-01-02T03:04:05.5Z', '2024-01-02T03:04:05.500Z']],
    refused: ['null'],
  },
  {
    type: 'duration',
    taken: [
      ['5s', '5s'],
      ['1.5s', '1.500s'],
      ['1m30s', '90s'],
      ['null', '0s'],
      ['-1.5s', '-1.500s'],
      ['1h', '3600s'],
      ['100ms', '0.100s'],
    ],
    refused: ['5', ''],
  },
]

describe.each(SCALARS)('a parameter of type $type', ({ type, taken, refused }) => {
  const field = type === 'string' ? 's' : type
  test.each(taken)('%j is read as %j', (raw, value) => {
    expect(parse(`${field}=${raw}`)[field]).toEqual(value)
  })

  if (refused.length > 0) {
    test.each(refused)('%j is refused, and the error names the parameter', (raw) => {
      const { status, message, details } = refusal(`${type}=${raw}`)
      expect(status).toBe('invalidArgument')
      expect(message).toContain(`"${type}"`)
      expect(details).toMatchObject([{ $typeName: 'chain.errors.v1.FieldViolation', field: type }])
    })
  }
})

describe('shapes of a query string', () => {
  const shapes: readonly [string, Record<string, unknown>][] = [
    ['sub.x=1', { sub: { x: '1', y: '0' } }],
    ['sub.x=1&sub.y=2', { sub: { x: '1', y: '2' } }],
    ['sub.zz=1', { sub: { x: '', y: '0' } }],
    ['zz=1', {}],
    ['zz.x=1', {}],
    ['ms[a]=b&ms[c]=d', { ms: { a: 'b', c: 'd' } }],
    ['rs=a&rs=b', { rs: ['a', 'b'] }],
    ['rs=a,b', { rs: ['a,b'] }],
    ['rs[]=a', { rs: ['a'] }],
    ['rs[0]=a&rs[1]=b', { rs: ['a', 'b'] }],
    ['ru=1&ru=2', { ru: ['1', '2'] }],
    ['oa=x', { oa: 'x' }],
    ['s=a&s=b', { s: 'a' }],
    ['int32=1&int32=2', { int32: 1 }],
    ['snakeCase=1', { snake_case: '1' }],
    ['snake_case=1', { snake_case: '1' }],
    ['SnakeCase=1', {}],
    [
      'pagination.key=AQI%3D',
      { pagination: { key: 'AQI=', offset: '0', limit: '0', count_total: false, reverse: false } },
    ],
    [
      'pagination.countTotal=true',
      { pagination: { key: null, offset: '0', limit: '0', count_total: true, reverse: false } },
    ],
    ['&&s=1', { s: '1' }],
    ['s', {}],
    ['timestamp.seconds=5&timestamp.nanos=7', { timestamp: '1970-01-01T00:00:05.000000007Z' }],
    ['duration.seconds=3', { duration: '3s' }],
    ['any.type_url=/x', { any: { '@type': '/x', value: null } }],
    ['dec=1.5', { dec: '1.500000000000000000' }],
  ]
  const empty = parse('')
  test.each(shapes)('%s', (query, expected) => {
    expect(parse(query)).toEqual({ ...empty, ...expected })
  })

  test.each([
    'sub=1',
    'sub.x.z=1',
    's.x=1',
    'ms.a=b',
    'ms=b',
    'mm[1]=b',
    'ru=1,2',
    'ru=x',
    'rsub.x=1',
    'rsub=1',
    'oa=x&ob=5',
    'pagination.limit=-1',
    'pagination.key=!!',
    'pagination=x',
    's=%zz',
    's=a;b=true',
    'dec=x',
  ])('%s is refused', (query) => {
    expect(refusal(query).status).toBe('invalidArgument')
  })

  test('a very long number is parsed in linear time', () => {
    for (const type of ['double', 'float']) {
      expect(refusal(`${type}=${'1'.repeat(200_000)}x`).status).toBe('invalidArgument')
    }
  })

  test('an unknown parameter is an error only in strict mode', () => {
    const message = create(echoSchema)
    expect(() => applyQuery(almanac, echoSchema, message, parseQuery('zz=1'), { ...NO_FIELDS, strict: true })).toThrow(
      '"zz"',
    )
  })
})

describe('requests of the EVM module', () => {
  function call(query: string) {
    const message = create(EthCallRequestSchema)
    applyQuery(almanac, EthCallRequestSchema, message, parseQuery(query), NO_FIELDS)
    return message
  }

  test('arguments are base64 of any kind, or JSON itself', () => {
    for (const args of ['e30%3D', 'e30=', 'e30', '%7B%7D']) {
      expect(Buffer.from(call(`args=${args}`).args).toString()).toBe('{}')
    }
  })

  test('a gas cap is an unsigned integer of 64 bits', () => {
    expect(call('gas_cap=0x10').gasCap).toBe(16n)
    expect(call('gas_cap=010').gasCap).toBe(10n)
    expect(call('gas_cap=18446744073709551615').gasCap).toBe(18446744073709551615n)
    expect(call('gasCap=30000').gasCap).toBe(30000n)
    expect(call('GasCap=30000').gasCap).toBe(0n)
    for (const wrong of ['18446744073709551616', '-1', '', '1e3', '5.0', '%205', '1_000']) {
      expect(() => call(`gas_cap=${wrong}`)).toThrow('gas_cap')
    }
  })

  test('a chain id out of range is refused, and a proposer can be hexadecimal', () => {
    expect(() => call('chain_id=9223372036854775808')).toThrow('chain_id')
    expect(formatHex(call('proposer_address=0x00').proposerAddress)).toBe('00')
  })

  function trace(query: string) {
    const message = create(QueryTraceTxRequestSchema)
    applyQuery(almanac, QueryTraceTxRequestSchema, message, parseQuery(query), NO_FIELDS)
    return message
  }

  test('the parameters of a trace are read by their types', () => {
    const parsed = trace(
      'msg.hash=0x1&msg.size=1.5&trace_config.tracer=callTracer&trace_config.tracerConfig.onlyTopCall=true&block_number=0x10&block_time=2024-01-01T00:00:00+02:00',
    )
    expect(parsed.msg).toMatchObject({ hash: '0x1', size: 1.5 })
    expect(parsed.traceConfig).toMatchObject({ tracer: 'callTracer', tracerConfig: { onlyTopCall: true } })
    expect(parsed.blockNumber).toBe(16n)
    expect(parsed.blockTime?.seconds).toBe(1704060000n)
    expect(trace('trace_config.limit=-1').traceConfig?.limit).toBe(-1)
    for (const wrong of [
      'msg=1',
      'trace_config.limit=2147483648',
      'trace_config.debug=yes',
      'trace_config.tracer.x=1',
      'predecessors.hash=1',
      'block_time=1704067200',
      'block_time=2024-01-01',
      'block_time=null',
      'block_time=',
      'block_number=latest',
    ]) {
      expect(() => trace(wrong)).toThrow(/invalid value/)
    }
  })
})
