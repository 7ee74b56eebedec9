import { create } from '@bufbuild/protobuf'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import { beforeEach, expect, test } from 'vitest'
import * as address from '../../identity/address.ts'
import { messageType } from '../../identity/registry.ts'
import { formatHex, hex } from '../../primitives/bytes.ts'
import { sha256 } from '../../primitives/hash.ts'
import type { BlockInfo, BranchedContext } from '../../sdk/context.ts'
import { defineModule } from '../../sdk/module.ts'
import { moduleAccount } from '../../sdk/module-account.ts'
import { encodePublicKey } from '../../sdk/public-key.ts'
import { testContext } from '../../sdk/testing.ts'
import * as bank from '../bank/keeper.ts'
import { slashing } from '../slashing/index.ts'
import { messages as slashingMessages } from '../slashing/messages.ts'
import { staking as stakingModule } from '../staking/index.ts'
import * as staking from '../staking/keeper.ts'
import { messages } from '../staking/messages.ts'
import { genesis } from './genesis.ts'
import { evidence } from './index.ts'
import * as state from './state.ts'

const mintery = moduleAccount('mintery', 'minter')
const alice = hex('026408260f38d3c43b26f36952ff38ecbaa88692')

let ctx: BranchedContext
beforeEach(() => {
  ctx = testContext({
    app: { message: messageType },
    modules: [stakingModule, slashing, defineModule({ name: 'mintery', accounts: [mintery] })],
  })
  bank.mint(ctx, mintery, [{ denom: 'unative', amount: 100_000_000n }])
  bank.send(ctx, mintery.address, alice, [{ denom: 'unative', amount: 100_000_000n }])
  messages.createValidator(ctx, {
    description: { moniker: 'm' },
    commission: { rate: (5n * 10n ** 16n).toString(), maxRate: (10n ** 17n).toString(), maxChangeRate: '0' },
    minSelfDelegation: '1',
    delegatorAddress: address.format(ctx, alice),
    validatorAddress: address.formatValidator(ctx, alice),
    pubkey: create(AnySchema, encodePublicKey(ctx.identity, { kind: 'ed25519', key: new Uint8Array(32).fill(7) })),
    value: { denom: 'unative', amount: '40000000' },
  })
  stakingModule.endBlock!(ctx)
  ctx.block.height = 10n
})

const consensus = () => staking.consensusAddress(ctx.identity, staking.getValidator(ctx, alice)!)

function reportMisbehaviour(part: Partial<NonNullable<BlockInfo['misbehaviour']>[number]> = {}): void {
  const found = {
    kind: 'duplicateVote' as const,
    validator: consensus(),
    height: 8n,
    timeNs: ctx.block.timeNs - 2_000_000_000n,
    power: 40n,
    ...part,
  }
  Object.assign(ctx.block, { misbehaviour: [found] })
  ctx.branchStore.events.length = 0
  evidence.beginBlock!(ctx)
}

test('a validator that signs twice is slashed by a twentieth, jailed and tombstoned', () => {
  reportMisbehaviour()
  expect(staking.getValidator(ctx, alice)).toMatchObject({ tokens: '38000000', jailed: true })
  expect(ctx.events.map(({ type, attributes }) => [type, attributes[2]?.value ?? ''])).toEqual([
    ['coin_spent', ''],
    ['burn', ''],
    ['slash', 'double_sign'],
    ['slash', ''],
  ])
  ctx.block.timeNs += 10n ** 18n
  expect(() => slashingMessages.unjail(ctx, { validatorAddr: address.formatValidator(ctx, alice) })).toThrow(
    expect.objectContaining({ codespace: 'slashing', code: 4 }),
  )
  const records = [...state.records.iterate(ctx)]
  expect(records.map(([key, { typeUrl, value }]) => [formatHex(key) === formatHex(sha256(value)), typeUrl])).toEqual([
    [true, '/cosmos.evidence.v1beta1.Equivocation'],
  ])
  const exported = genesis.export(ctx)
  const other = testContext({ app: { message: messageType } })
  genesis.init(other, exported)
  expect(genesis.export(other)).toEqual(exported)
  expect(() => genesis.init(other, exported)).toThrow('evidence[0]: duplicate evidence')
})

test('a validator is punished for double signing once', () => {
  reportMisbehaviour()
  reportMisbehaviour({ height: 9n })
  expect(staking.getValidator(ctx, alice)!.tokens).toBe('38000000')
})

test('evidence that is too old or names an unknown validator is ignored', () => {
  reportMisbehaviour({ validator: new Uint8Array(20).fill(3) })
  ctx.block.height = 200_000n
  ctx.block.timeNs += 40n * 86_400_000_000_000n
  reportMisbehaviour({ height: 8n, timeNs: ctx.block.timeNs - 30n * 86_400_000_000_000n })
  expect(staking.getValidator(ctx, alice)).toMatchObject({ tokens: '40000000', jailed: false })
})
