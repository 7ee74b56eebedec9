import { create, toBinary } from '@bufbuild/protobuf'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import { describe, expect, test } from 'vitest'
import { GrantSchema } from '../gen/sdk/authz/v1beta1/authz_pb.ts'
import { PeriodicAllowanceSchema } from '../gen/sdk/feegrant/v1beta1/feegrant_pb.ts'
import { messageType } from '../identity/registry.ts'
import { unpack } from './packed.ts'
import { testContext } from './testing.ts'

const ctx = testContext({ app: { message: messageType } })
const refusal = expect.objectContaining({ codespace: 'sdk', code: 2 })

const grantUntil = (seconds: bigint, nanos = 0) => {
  const value = toBinary(GrantSchema, create(GrantSchema, { expiration: { seconds, nanos } }))
  return () => unpack(ctx, create(AnySchema, { typeUrl: `/${GrantSchema.typeName}`, value }))
}
const renewedEvery = (seconds: bigint, nanos = 0) => {
  const value = toBinary(PeriodicAllowanceSchema, create(PeriodicAllowanceSchema, { period: { seconds, nanos } }))
  return () => unpack(ctx, create(AnySchema, { typeUrl: `/${PeriodicAllowanceSchema.typeName}`, value }))
}

describe('a decoded message', () => {
  test.each([
    [-62_135_596_800n, 0],
    [0n, 999_999_999],
    [253_402_300_799n, 999_999_999],
  ])('has times of the years 1 to 9999: %d s and %d ns', (seconds, nanos) => {
    expect(grantUntil(seconds, nanos)).not.toThrow()
  })

  test.each([
    [-62_135_596_801n, 0],
    [253_402_300_800n, 0],
    [317_000_000_000n, 0],
    [1n << 62n, 0],
    [0n, -1],
    [0n, 1_000_000_000],
  ])('is refused for a time whose key could not be read: %d s and %d ns', (seconds, nanos) => {
    expect(grantUntil(seconds, nanos)).toThrow(refusal)
  })

  test.each([
    [9_223_372_036n, 854_775_807],
    [-9_223_372_036n, -854_775_808],
    [1n, 0],
  ])('has durations of 64-bit nanoseconds: %d s and %d ns', (seconds, nanos) => {
    expect(renewedEvery(seconds, nanos)).not.toThrow()
  })

  test.each([
    [9_223_372_036n, 854_775_808],
    [-9_223_372_037n, 0],
    [1n, -1],
    [-1n, 1],
    [0n, 1_000_000_000],
  ])('is refused for any other duration: %d s and %d ns', (seconds, nanos) => {
    expect(renewedEvery(seconds, nanos)).toThrow(refusal)
  })
})
