import { create } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { FeeShareSchema } from '../../gen/chain/devgas/v1/devgas_pb.ts'
import { HistoricalInfoSchema, type Validator, ValidatorSchema } from '../../gen/sdk/staking/v1beta1/staking_pb.ts'
import { almanac } from '../../identity/profiles/almanac.ts'
import { concat, hex, utf8 } from '../../primitives/bytes.ts'
import { cacheLast, cacheRecent, convertedValue, protoValue, textsValue, withItems } from './codecs.ts'

const ctx = { identity: almanac }
const texts = textsValue('contractAddress', 'deployerAddress', 'withdrawerAddress')

test('a message of texts encodes and decodes as by its descriptor, with any of its fields empty', () => {
  const message = protoValue(FeeShareSchema)
  for (const contractAddress of ['', 'one', 'é'.repeat(100)]) {
    for (const withdrawerAddress of ['', 'two']) {
      const value = { contractAddress, deployerAddress: 'three', withdrawerAddress }
      const encoded = texts.encode(ctx, value)
      expect(encoded).toEqual(message.encode(ctx, create(FeeShareSchema, value)))
      expect(texts.decode(ctx, encoded)).toEqual(value)
    }
  }
})

test('unknown fields of a message of texts are skipped', () => {
  // Field 9 as a varint, field 7 as bytes, field 1 in the wrong wire type.
  const encoded = concat(hex('4805'), hex('3a0161'), hex('0807'), hex('1201'), utf8('d'))
  expect(texts.decode(ctx, encoded)).toEqual({ contractAddress: '', deployerAddress: 'd', withdrawerAddress: '' })
})

test('cacheLast returns the value of the given bytes, frozen', () => {
  const codec = cacheLast(texts)
  const value = (contractAddress: string) => ({ contractAddress, deployerAddress: '', withdrawerAddress: '' })
  const first = codec.encode(ctx, value('first'))
  const read = codec.decode(ctx, first)
  expect(codec.decode(ctx, first.slice())).toBe(read)
  expect(codec.decode(ctx, codec.encode(ctx, value('other')))).toEqual(value('other'))
  expect(codec.decode(ctx, first)).toEqual(value('first'))
  expect(() => Object.assign(codec.decode(ctx, first), value('mine'))).toThrow(TypeError)
  // The caller can reuse the buffer of the bytes.
  first.fill(0x61, 2)
  expect(codec.decode(ctx, first)).toEqual(value('aaaaa'))
})

test('cacheRecent returns the same frozen value for the same bytes', () => {
  const codec = cacheRecent(texts, 2)
  const value = (contractAddress: string) => ({ contractAddress, deployerAddress: '', withdrawerAddress: '' })
  const [first, second] = [codec.encode(ctx, value('first')), codec.encode(ctx, value('second'))]
  const read = codec.decode(ctx, first)
  expect(codec.decode(ctx, second)).toEqual(value('second'))
  expect(codec.decode(ctx, first.slice())).toBe(read)
  expect(() => Object.assign(read, value('mine'))).toThrow(TypeError)
  for (let i = 0; i < 9; i++) expect(codec.decode(ctx, codec.encode(ctx, value(`${i}`)))).toEqual(value(`${i}`))
  expect(codec.decode(ctx, first)).toEqual(value('first'))
  first.fill(0x61, 2)
  expect(codec.decode(ctx, first)).toEqual(value('aaaaa'))
})

test('cacheRecent encodes a value that it returned once, and one that can change each time', () => {
  let encodedCount = 0
  const codec = cacheRecent(
    convertedValue(
      texts,
      (contractAddress: string[]) => {
        encodedCount++
        return { contractAddress: contractAddress.join(), deployerAddress: '', withdrawerAddress: '' }
      },
      ({ contractAddress }) => contractAddress.split(','),
    ),
    2,
  )
  const open = ['a', 'b']
  const first = codec.encode(ctx, open)
  open.push('c')
  expect(codec.decode(ctx, codec.encode(ctx, open))).toEqual(['a', 'b', 'c'])
  const read = codec.decode(ctx, first)
  expect(read).toEqual(['a', 'b'])
  encodedCount = 0
  for (let i = 0; i < 3; i++) expect(codec.encode(ctx, codec.decode(ctx, first))).toEqual(first)
  expect(encodedCount).toBe(1)
})

test('a message with items encodes as by its descriptor, and cached items once', () => {
  const encodedMonikers: string[] = []
  const item = protoValue(ValidatorSchema)
  const countingItem = {
    ...item,
    encode(codecCtx: typeof ctx, validator: Validator) {
      encodedMonikers.push(validator.description!.moniker)
      return item.encode(codecCtx, validator)
    },
  }
  const whole = protoValue(HistoricalInfoSchema)
  const cached = cacheRecent(countingItem, 4)
  const codec = withItems(whole, { name: 'valset', field: 2, item: cached })
  const validator = (moniker: string) => create(ValidatorSchema, { description: { moniker }, tokens: '5' })
  const frozen = cached.decode(ctx, item.encode(ctx, validator('frozen')))
  const open = validator('open')
  for (const height of [0n, 1n, 2n]) {
    for (const valset of [[], [frozen], [open, frozen], [frozen, frozen, open]]) {
      open.tokens = `${height}${valset.length}`
      const info = create(HistoricalInfoSchema, { header: { chainId: 'a', height, lastBlockId: {} }, valset })
      const encoded = codec.encode(ctx, info)
      expect(encoded).toEqual(whole.encode(ctx, info))
      expect(codec.decode(ctx, encoded)).toEqual(whole.decode(ctx, encoded))
    }
  }
  expect(encodedMonikers.filter((moniker) => moniker === 'frozen')).toEqual(['frozen'])
  expect(encodedMonikers.filter((moniker) => moniker === 'open')).toHaveLength(6)
})
