/** Ethereum transactions: transfers, random programs, hand-made scripts, hostile tokens, precompiles, delegated code. */
import { authorizationHash } from '../../../src/evm/transaction/encode.ts'
import { secp256k1 } from '../../../src/evm/transaction/secp256k1.ts'
import type { Authorization } from '../../../src/evm/transaction/types.ts'
import * as auth from '../../../src/modules/auth/keeper.ts'
import { encodeCall } from '../../../src/modules/evm/calls/abi.ts'
import { formatEip55 } from '../../../src/primitives/address.ts'
import { concat, decodeUint, encodeUint, hex } from '../../../src/primitives/bytes.ts'
import { programOf } from '../../support/evm/programs.ts'
import { routed } from '../../support/funtoken/simulation.ts'
import { type Actor, actors, ethActors } from '../actors.ts'
import type { Dice } from '../dice.ts'
import { EVM_CHAIN_ID } from '../genesis.ts'
import { ONE } from '../messages.ts'
import type { EvmWish } from '../transactions.ts'
import {
  accountText,
  anyAddress,
  anyDenom,
  anyToken,
  contractsOf,
  ethActor,
  FUNTOKEN,
  ORACLE,
  programs,
  WNATIVE,
  type World,
} from '../world.ts'
import type { ActionKind } from './action.ts'

const EMPTY = new Uint8Array(0)
const WEI_PER_UNIT = 10n ** 12n
const CALL_GAS = 600_000n

function call(by: Actor, to: Uint8Array, data: Uint8Array, valueWei = 0n, gas = CALL_GAS): EvmWish {
  return { kind: 'evm', signer: ethActor(by), to, data, valueWei, gas }
}

const create = (by: Actor, data: Uint8Array, valueWei = 0n, gas = 2_500_000n): EvmWish => ({
  kind: 'evm',
  signer: ethActor(by),
  to: undefined,
  ...{ data, valueWei, gas },
})

/** Returns an amount of wei: usually with a part below one unit. */
function wei(dice: Dice, units: bigint): bigint {
  const whole = dice.amount(units) * WEI_PER_UNIT
  return (whole + (dice.chance(50) ? BigInt(dice.below(2 ** 32)) : 0n)) % 2n ** 256n
}

/** Returns a contract to call: a random program, a created contract, a token, or an account with delegated code. */
function anyContract(world: World, dice: Dice): Uint8Array {
  const created = contractsOf(world)
  return dice.pick(
    [programs, programs, created.length > 0 ? created : programs, ethActors.map(({ address }) => address)].map((list) =>
      dice.pick(list),
    ),
  )
}

/** Returns calldata for a precompile of the chain, with the precompile. */
function precompileCall(world: World, dice: Dice): { readonly to: Uint8Array; readonly data: Uint8Array } {
  const receiver = anyAddress(world, dice)
  const amount = dice.amount(10n * ONE)
  const text = dice.chance(50) ? formatEip55(receiver) : accountText(receiver)
  switch (dice.below(7)) {
    case 0:
      return {
        to: FUNTOKEN,
        data: encodeCall('sendToBank(address,uint256,string)', [anyToken(world, dice), amount, text]),
      }
    case 1:
      return {
        to: FUNTOKEN,
        data: encodeCall('sendToEvm(string,uint256,string)', [anyDenom(world, dice), amount, text]),
      }
    case 2:
      return {
        to: FUNTOKEN,
        data: encodeCall('bankMsgSend(string,string,uint256)', [text, anyDenom(world, dice), amount]),
      }
    case 3:
      return { to: FUNTOKEN, data: encodeCall('balance(address,address)', [receiver, anyToken(world, dice)]) }
    case 4:
      return { to: FUNTOKEN, data: encodeCall('whoAmI(string)', [text]) }
    case 5:
      return { to: ORACLE, data: encodeCall('queryExchangeRate(string)', ['ubtc:uusd']) }
    default:
      return { to: ORACLE, data: encodeCall('chainLinkLatestRoundData(string)', ['ueth:uusd']) }
  }
}

/** Returns calldata for a token. */
function tokenCall(world: World, dice: Dice): { readonly to: Uint8Array; readonly data: Uint8Array } {
  const to = anyToken(world, dice)
  const [receiver, amount] = [anyAddress(world, dice), dice.amount(10n * ONE)]
  switch (dice.below(6)) {
    case 0:
    case 5:
      return { to, data: encodeCall('mint(address,uint256)', [dice.pick(ethActors).address, amount * 100n]) }
    case 1:
      return { to, data: encodeCall('approve(address,uint256)', [receiver, amount]) }
    case 2:
      return {
        to,
        data: encodeCall('transferFrom(address,address,uint256)', [dice.pick(actors).address, receiver, amount]),
      }
    default:
      return { to, data: encodeCall('transfer(address,uint256)', [receiver, amount]) }
  }
}

/** Returns a script that pushes a value. */
function push(value: bigint): Uint8Array {
  const digits = value.toString(16)
  const bytes = hex(digits.length % 2 ? `0${digits}` : digits)
  return concat(Uint8Array.of(0x5f + bytes.length), bytes)
}

/** Returns init code that makes calls with value and data one after the other, and ends as the dice say. */
function script(world: World, dice: Dice): Uint8Array {
  const parts: Uint8Array[] = []
  for (let i = 1 + dice.below(3); i > 0; i--) {
    const isPrecompile = dice.chance(40)
    const { to, data } = isPrecompile ? precompileCall(world, dice) : { to: anyAddress(world, dice), data: EMPTY }
    for (let at = 0; at < data.length; at += 32) {
      const word = new Uint8Array(32)
      word.set(data.subarray(at, at + 32))
      parts.push(Uint8Array.of(0x7f), word, push(BigInt(at)), Uint8Array.of(0x52))
    }
    const value = isPrecompile ? 0n : dice.amount(1000n) * WEI_PER_UNIT
    parts.push(push(0n), push(0n), push(BigInt(data.length)), push(0n), push(value % 2n ** 200n))
    parts.push(push(decodeUint(to)), Uint8Array.of(0x5a, 0xf1, 0x50))
  }
  const kind = dice.below(4)
  if (kind === 0) parts.push(push(decodeUint(anyAddress(world, dice))), Uint8Array.of(0xff))
  if (kind === 1) parts.push(hex('5f5ffd'))
  // Code of the new contract: it destroys itself and pays its caller.
  if (kind === 2) parts.push(hex('6133ff5f526002601ef3'))
  return concat(...parts)
}

function authorization(world: World, dice: Dice, signer: Actor): Authorization {
  const owner = dice.pick(ethActors)
  const nonce = (auth.getAccount(world.ctx, owner.address)?.sequence ?? 0n) + (owner === signer ? 1n : 0n)
  const target = dice.chance(40) ? new Uint8Array(20) : anyContract(world, dice)
  const unsigned = { chainId: dice.chance(50) ? 0n : EVM_CHAIN_ID, address: target, nonce, yParity: 0, r: 0n, s: 0n }
  const { bytes, yParity } = secp256k1.sign(authorizationHash(unsigned), owner.privateKey)
  return { ...unsigned, r: decodeUint(bytes.subarray(0, 32)), s: decodeUint(bytes.subarray(32)), yParity }
}

export const evmActions: readonly ActionKind[] = [
  {
    name: 'evm.transfer',
    weight: 10,
    wish: (world, dice, by) => call(by, anyAddress(world, dice), EMPTY, wei(dice, 100n * ONE), 60_000n),
  },
  {
    name: 'evm.transfer all that is free',
    weight: 1,
    wish: (_world, dice, by) =>
      call(
        by,
        dice.pick(actors).address,
        EMPTY,
        dice.pick([4n, 5n, 50n]) * 10n ** 24n - 60_000n * WEI_PER_UNIT,
        60_000n,
      ),
  },
  {
    name: 'evm.program',
    weight: 8,
    wish(world, dice, by) {
      const { data, valueWei } = programOf(dice.below(2 ** 31))
      return call(by, anyContract(world, dice), data, valueWei)
    },
  },
  {
    name: 'evm.createProgram',
    weight: 4,
    wish(_world, dice, by) {
      const { contracts, data, to, valueWei } = programOf(dice.below(2 ** 31))
      if (!to || dice.chance(40)) return create(by, to ? contracts[0]!.code : data, valueWei, CALL_GAS)
      // Deploys the code: CODECOPY of all after these eleven bytes, RETURN.
      const { code } = contracts[0]!
      const head = concat(hex('61'), encodeUint(BigInt(code.length), 2), hex('80600b5f395ff3'))
      return create(by, concat(head, hex('00'), code), valueWei)
    },
  },
  {
    name: 'evm.script',
    weight: 6,
    wish: (world, dice, by) => create(by, script(world, dice), wei(dice, ONE), 1_500_000n),
  },
  {
    name: 'evm.deployToken',
    weight: 0.8,
    wish(world, dice, by) {
      const token = dice.pick([...world.code.keys()])
      return { ...create(by, world.code.get(token)!), token }
    },
  },
  {
    name: 'evm.token',
    weight: 7,
    wish(world, dice, by) {
      const { to, data } = tokenCall(world, dice)
      return call(by, to, data)
    },
  },
  {
    name: 'evm.wrap',
    weight: 3,
    wish(_world, dice, by) {
      if (dice.chance(60)) return call(by, WNATIVE, encodeCall('deposit()', []), wei(dice, 10n * ONE))
      return call(by, WNATIVE, encodeCall('withdraw(uint256)', [wei(dice, ONE)]))
    },
  },
  {
    name: 'evm.precompile',
    weight: 6,
    wish(world, dice, by) {
      const { to, data } = precompileCall(world, dice)
      return call(by, to, data, dice.chance(4) ? 1n : 0n, 1_500_000n)
    },
  },
  {
    name: 'evm.router',
    weight: 5,
    wish(world, dice, by) {
      const router = world.tokens.findLast(({ name }) => name === 'Router')
      if (!router) return undefined
      const steps = Array.from({ length: 1 + dice.below(3) }, () => {
        const step = dice.chance(50) ? precompileCall(world, dice) : tokenCall(world, dice)
        return { ...step, flags: dice.below(4) }
      })
      return call(by, router.address, routed(steps), 0n, 2_500_000n)
    },
  },
  {
    name: 'evm.setCode',
    weight: 2,
    wish(world, dice, by) {
      const signer = ethActor(by)
      const authorizations = [authorization(world, dice, signer)]
      return { ...call(by, anyAddress(world, dice), EMPTY, wei(dice, 10n)), type: 4, authorizations }
    },
  },
]
