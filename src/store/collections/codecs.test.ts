import { create } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { FeeShareSchema } from '../../gen/chain/devgas/v1/devgas_pb.ts'
import { almanac } from '../../identity/profiles/almanac.ts'
import { concat, hex, utf8 } from '../../primitives/bytes.ts'
import { protoValue, recalled, remembered, textsValue } from './codecs.ts'

const ctx = { identity: almanac }
const texts = textsValue('contractAddress', 'deployerAddress', 'withdrawerAddress')

test('a message of texts has the bytes of its descriptor, whatever is empty, and is read from them', () => {
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

test('fields that a message of texts does not know are passed over', () => {
  // Field 9 as a varint, field 7 as bytes, field 1 in the wrong wire type.
  const encoded = concat(hex('4805'), hex('3a0161'), hex('0807'), hex('1201'), utf8('d'))
  expect(texts.decode(ctx, encoded)).toEqual({ contractAddress: '', deployerAddress: 'd', withdrawerAddress: '' })
})

test('what is remembered is the value of the bytes at hand, and nobody can change it', () => {
  const codec = remembered(texts)
  const value = (contractAddress: string) => ({ contractAddress, deployerAddress: '', withdrawerAddress: '' })
  const first = codec.encode(ctx, value('first'))
  const read = codec.decode(ctx, first)
  expect(codec.decode(ctx, first.slice())).toBe(read)
  expect(codec.decode(ctx, codec.encode(ctx, value('other')))).toEqual(value('other'))
  expect(codec.decode(ctx, first)).toEqual(value('first'))
  expect(() => Object.assign(codec.decode(ctx, first), value('mine'))).toThrow(TypeError)
  // The buffer that the bytes were read from may be used again.
  first.fill(0x61, 2)
  expect(codec.decode(ctx, first)).toEqual(value('aaaaa'))
})

test('what is recalled is the value of the bytes at hand, the same one for the same bytes, and nobody can change it', () => {
  const codec = recalled(texts, 2)
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
