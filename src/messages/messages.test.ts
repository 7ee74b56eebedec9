import { create, type DescField, type DescMessage, getOption, toBinary } from '@bufbuild/protobuf'
import { type Any, AnySchema } from '@bufbuild/protobuf/wkt'
import { serializeSignDoc } from '@cosmjs/amino'
import { type GeneratedType, Registry } from '@cosmjs/proto-signing'
import { type AminoConverters, AminoTypes, createDefaultAminoConverters, defaultRegistryTypes } from '@cosmjs/stargate'
import {
  type AminoConverters as AminoConverters32,
  createDefaultAminoConverters as createDefaultAminoConverters32,
  defaultRegistryTypes as defaultRegistryTypes32,
} from 'cosmjs-stargate-0.32'
import { expect, test } from 'vitest'
import { Scalar, scalar } from '../gen/almanac/options_pb.ts'
import { files } from '../gen/files.ts'
import { formatProfile } from '../identity/profile-file.ts'
import { nibiru } from '../identity/profiles/nibiru.ts'
import { identityOf } from '../identity/profiles.ts'
import { messageType, services } from '../identity/registry.ts'
import { formatUtf8, utf8 } from '../primitives/bytes.ts'
import { aminoMessage, canonicalJson } from '../sdk/amino-json.ts'
import type { AppFacts } from '../sdk/context.ts'
import * as chain from './index.ts'

const { messagesOf, tokenfactory, evm, oracle } = chain
const PROFILES = ['almanac', 'nibiru', 'nibiru@2.17']
const ADDRESS = new Uint8Array(20).fill(0xaa)
const INNER = tokenfactory.MsgCreateDenomSchema

const requests = services
  .filter(({ typeName }) => typeName.endsWith('.Msg'))
  .flatMap(({ methods }) => methods.map((method) => method.input))
const app = { message: messageType } as AppFacts

/** Returns a value for each field, none the default. */
function full(schema: DescMessage, typeUrl: string, depth = 0): Record<string, unknown> {
  if (schema.typeName === 'google.protobuf.Timestamp') return { seconds: 1_700_000_000n, nanos: 120_000_000 }
  if (schema.typeName === 'google.protobuf.Duration') return { seconds: 90n, nanos: 5 }
  if (schema.typeName === 'google.protobuf.Any') {
    return { typeUrl, value: toBinary(INNER, create(INNER, { sender: 'chain1inner', subdenom: 'inner' })) }
  }
  return Object.fromEntries(schema.fields.map((field) => [field.localName, fieldOf(field, typeUrl, depth + 1)]))
}

function fieldOf(field: DescField, typeUrl: string, depth: number): unknown {
  switch (field.fieldKind) {
    case 'message':
      return full(field.message, typeUrl, depth)
    case 'enum':
      return field.enum.values.at(-1)!.number
    case 'list': {
      if (field.listKind === 'message') return [full(field.message, typeUrl, depth)]
      return field.listKind === 'scalar' ? [scalarOf(field, field.scalar)] : [1]
    }
    default:
      break
  }
  if (field.fieldKind !== 'scalar') throw new Error(`no value for ${field.name}`)
  return scalarOf(field, field.scalar)
}

function scalarOf(field: DescField, type: number): unknown {
  const kind = getOption(field, scalar)
  // The kinds of protobuf: 3 to 6, 16 to 18 are integers of 64 bits, 8 bool, 9 string, 12 bytes.
  if ([3, 4, 6, 16, 18].includes(type)) return 9_007_199_254_740_993n
  if (type === 8) return true
  if (type === 12) return kind === Scalar.EVM_ADDRESS ? ADDRESS : Uint8Array.of(1, 2, 255)
  if (type !== 9) return 7
  if (kind === Scalar.DECIMAL) return '123450000000000000000'
  return kind === Scalar.INTEGER ? '12345678901234567890' : `${field.name} <&> é`
}

const emptyDoc = { chain_id: '', account_number: '0', sequence: '0', fee: { gas: '0', amount: [] }, memo: '' }

test('with those of CosmJS, each message of the chain has a type, and each but Ethereum transactions a converter', () => {
  for (const profile of PROFILES) {
    const { registryTypes, aminoConverters, typeUrl } = messagesOf(profile)
    const own = registryTypes.map(([url]) => url)
    for (const [types, converters] of [
      [defaultRegistryTypes, createDefaultAminoConverters()],
      [defaultRegistryTypes32, createDefaultAminoConverters32()],
    ] as const) {
      const theirs = new Set(types.map(([url]) => url))
      // CosmJS encodes times from 2038 on wrongly, and signs `delayed: false`, which nodes omit.
      const corrected = ['/cosmos.vesting.v1beta1.MsgCreateVestingAccount']
      expect(own.filter((url) => theirs.has(url))).toEqual(corrected)
      expect(requests.map(typeUrl).filter((url) => !own.includes(url) && !theirs.has(url))).toEqual([])
      expect(Object.keys(aminoConverters).filter((url) => url in converters)).toEqual(corrected)
      const without = requests.map(typeUrl).filter((url) => !(url in aminoConverters) && !(url in converters))
      expect(without).toEqual([typeUrl(evm.MsgEthereumTxSchema)])
    }
  }
  expect(() => messagesOf('juno')).toThrow('unknown profile juno: the profiles are almanac, nibiru, nibiru@2.17')
})

test('every type of the chain is exported', () => {
  const modules: Readonly<Record<string, object>> = Object.fromEntries(Object.entries(chain))
  const packages = new Set(files.flatMap(({ proto }) => /^chain\.([^.]+)/.exec(proto.package)?.[1] ?? []))
  expect([...packages].filter((name) => !(name in modules))).toEqual([])
  for (const file of files.filter(({ proto }) => proto.package.startsWith('chain.'))) {
    const module = modules[file.proto.package.split('.')[1]!]!
    for (const { name } of file.messages) expect(module, name).toHaveProperty(`${name}Schema`)
  }
})

test('CosmJS takes the types and converters, by its versions 0.32 and 0.39', () => {
  const { registryTypes, aminoConverters } = messagesOf('almanac')
  const types: readonly [string, GeneratedType][] = registryTypes
  const converters: AminoConverters = aminoConverters
  const converters32: AminoConverters32 = aminoConverters
  const registry = new Registry([...defaultRegistryTypes, ...types])
  const typeUrl = '/chain.tokenfactory.v1.MsgCreateDenom'
  const bytes = registry.encode({ typeUrl, value: { sender: 'a', subdenom: 'b' } })
  // Field 1 "a", field 2 "b".
  expect([...bytes]).toEqual([0x0a, 1, 0x61, 0x12, 1, 0x62])
  expect(registry.decode({ typeUrl, value: bytes })).toMatchObject({ sender: 'a', subdenom: 'b' })
  expect(
    new AminoTypes({ ...createDefaultAminoConverters(), ...converters }).toAmino({ typeUrl, value: { sender: 'a' } }),
  ).toEqual({ type: 'chain/tokenfactory/create-denom', value: { sender: 'a' } })
  expect(converters32).toBe(aminoConverters)
})

for (const profile of PROFILES) {
  test(`amino JSON under ${profile} is what the node verifies, and reads back to the same bytes`, () => {
    const { aminoConverters, typeUrl, registryTypes } = messagesOf(profile)
    const identity = identityOf(profile)
    const [alias = (name: string) => name] = identity.aminoAliases
    const toName = (neutral: string) => alias(identity.toProfileAmino(neutral))
    const schemas = requests.filter((schema) => typeUrl(schema) in aminoConverters)
    expect(schemas.length).toBeGreaterThanOrEqual(26)
    for (const schema of schemas) {
      const { aminoType, toAmino, fromAmino } = aminoConverters[typeUrl(schema)]!
      for (const value of [full(schema, typeUrl(INNER)), {}]) {
        const message = create(schema, value)
        const amino = toAmino(value)
        // CosmJS sorts and escapes what it signs; the node's text is the whole message within its sign document.
        const signed = formatUtf8(
          serializeSignDoc({ ...emptyDoc, msgs: [{ type: aminoType, value: amino as object }] }),
        )
        const verified = canonicalJson(aminoMessage({ identity, app, toName }, schema, message))
        expect(signed).toContain(`"msgs":[${verified}]`)
        const back = fromAmino(JSON.parse(JSON.stringify(amino)))
        expect(canonicalJson(toAmino(back)), schema.typeName).toBe(canonicalJson(amino))
        // Wire bytes differ only where amino JSON shows what is absent as a zero.
        if (Object.keys(value).length > 0) {
          expect(toBinary(schema, create(schema, back as never)), schema.typeName).toEqual(toBinary(schema, message))
        }
      }
    }
    expect(registryTypes.length).toBeGreaterThanOrEqual(26)
  })
}

test('messages within messages are written by their own types, in one family of names', () => {
  const { aminoConverters, message } = messagesOf('nibiru')
  const inner = message(INNER, { sender: 'nibi1x', subdenom: 'gold' })
  expect(inner.typeUrl).toBe('/nibiru.tokenfactory.v1.MsgCreateDenom')
  const schema = messageType('sdk.gov.v1.MsgSubmitProposal')!
  const any: Any = create(AnySchema, { typeUrl: inner.typeUrl, value: toBinary(INNER, inner.value) })
  const proposal = aminoConverters['/cosmos.gov.v1.MsgSubmitProposal']!
  expect(proposal.aminoType).toBe('cosmos-sdk/v1/MsgSubmitProposal')
  const amino = proposal.toAmino(create(schema, { messages: [any], proposer: 'nibi1x' } as never))
  expect(amino).toMatchObject({
    messages: [{ type: 'nibiru/tokenfactory/create-denom', value: { sender: 'nibi1x', subdenom: 'gold' } }],
  })
  expect(proposal.fromAmino(amino)).toMatchObject({ messages: [{ typeUrl: any.typeUrl, value: any.value }] })
  const unknown = { messages: [{ typeUrl: '/none.Such', value: utf8('x') }] }
  expect(() => proposal.toAmino(unknown)).toThrow('amino JSON: /none.Such has no amino form')
  expect(() => proposal.fromAmino({ messages: [{ type: 'none', value: {} }] })).toThrow(
    'sdk.gov.v1.MsgSubmitProposal.messages[0] is {"type":"none","value":{}}: must be an object with a known type',
  )
})

test('a profile file gives the names of its chain', () => {
  const json = formatProfile({ ...nibiru, name: 'ours', names: { ...nibiru.names, packages: { chain: 'ours' } } })
  const { message, aminoConverters } = messagesOf({ json })
  const { typeUrl } = message(INNER, { sender: 'a' })
  expect(typeUrl).toBe('/ours.tokenfactory.v1.MsgCreateDenom')
  expect(aminoConverters[typeUrl]!.aminoType).toBe('nibiru/tokenfactory/create-denom')
  expect(aminoConverters['/cosmos.gov.v1.MsgVote']!.aminoType).toBe('cosmos-sdk/v1/MsgVote')
  expect(() => messagesOf({ json: '{}' })).toThrow('profile of messagesOf: name: is missing')
})

test('an absent time is the zero time of Go, in the text that is signed and in the bytes that follow from it', () => {
  const { aminoConverters } = messagesOf('almanac')
  const { toAmino, fromAmino } = aminoConverters['/cosmos.upgrade.v1beta1.MsgSoftwareUpgrade']!
  const amino = toAmino({ authority: 'a', plan: { name: 'v9', height: 5n } })
  expect(amino).toEqual({ authority: 'a', plan: { name: 'v9', height: '5', time: '0001-01-01T00:00:00Z' } })
  // Seconds from year 1 to 1970.
  expect(fromAmino(amino)).toMatchObject({ plan: { time: { seconds: -62_135_596_800n, nanos: 0 } } })
})

test('a wrong field and a wrong value are named', () => {
  const { message, aminoConverters } = messagesOf('almanac')
  expect(() => message(tokenfactory.MsgCreateDenomSchema, { sender: 'a', subDenom: 'b' } as never)).toThrow(
    'chain.tokenfactory.v1.MsgCreateDenom has no field subDenom: its fields are sender, subdenom',
  )
  expect(() => message(tokenfactory.MsgCreateDenomSchema, { sender: 5 } as never)).toThrow(
    'chain.tokenfactory.v1.MsgCreateDenom.sender must be a text',
  )
  const coin = { denom: 'unative', amount: '1', unit: 'x' }
  expect(() => message(evm.MsgConvertCoinToEvmSchema, { bankCoin: coin } as never)).toThrow('has no field unit')
  const edit = aminoConverters['/chain.oracle.v1beta1.MsgEditOracleParams']!
  expect(() => edit.fromAmino({ params: { vote_threshold: 'half' } })).toThrow(
    'chain.oracle.v1beta1.MsgEditOracleParams.params.vote_threshold is "half": must be a decimal such as "0.5"',
  )
  expect(() => edit.fromAmino({ params: { nothing: '1' } })).toThrow('has no field nothing')
  // Numbers are taken for 64-bit fields.
  expect(
    message(oracle.MsgEditOracleParamsSchema, { params: { votePeriod: 10 as never } }).value.params!.votePeriod,
  ).toBe(10n)
})
