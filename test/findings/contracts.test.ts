/** Published attacks on the EVM and its bond with the bank: see docs/security-findings.md. */
import { expect, test } from 'vitest'
import type { GenesisDocument } from '../../src/app/types.ts'
import { rulesOf } from '../../src/evm/forks.ts'
import { standardPrecompiles } from '../../src/evm/precompiles/index.ts'
import { MsgCreateFunTokenSchema } from '../../src/gen/chain/evm/v1/tx_pb.ts'
import { MsgGrantSchema } from '../../src/gen/sdk/authz/v1beta1/tx_pb.ts'
import { MsgMultiSendSchema, MsgSendSchema } from '../../src/gen/sdk/bank/v1beta1/tx_pb.ts'
import { MsgDelegateSchema } from '../../src/gen/sdk/staking/v1beta1/tx_pb.ts'
import { behavioursOf } from '../../src/identity/behaviours.ts'
import { almanac } from '../../src/identity/profiles/almanac.ts'
import * as bank from '../../src/modules/bank/keeper.ts'
import { encodeCall } from '../../src/modules/evm/calls/abi.ts'
import * as evm from '../../src/modules/evm/keeper.ts'
import { queries } from '../../src/modules/evm/queries.ts'
import { formatBech32 } from '../../src/primitives/address.ts'
import { concat, decodeUint, encodeUint, formatHex0x, hex, utf8 } from '../../src/primitives/bytes.ts'
import { keccak256 } from '../../src/primitives/hash.ts'
import * as rlp from '../../src/primitives/rlp.ts'
import { machine, push } from '../support/evm/machine.ts'
import { seededRandom } from '../support/random.ts'
import { type Chain, FUNDS, message, outcomeOf, signed, startChain, UNIT_WEI, users, wrapped } from './chain.ts'

const [alice, bob, carol] = users as [(typeof users)[0], (typeof users)[0], (typeof users)[0]]
const FUNTOKEN = encodeUint(0x800n, 20)
const units = (chain: Chain, who: Uint8Array, denom = 'unative') => bank.balance(chain.read(), who, denom)
const slot = (chain: Chain, contract: Uint8Array, index: bigint) =>
  decodeUint(evm.storage(chain.read(), contract, encodeUint(index, 32)))

/** Returns the address of a contract that an account creates. */
const created = (creator: Uint8Array, nonce: bigint) => keccak256(rlp.encode([creator, rlp.fromUint(nonce)])).slice(12)

/** Returns init code that deploys up to 255 bytes. */
const deploying = (code: string): Uint8Array => {
  const length = (code.length / 2).toString(16).padStart(2, '0')
  return hex(`60${length}600c60003960${length}6000f3${code}`)
}

/** Returns whether each Ethereum transaction of a block succeeded. */
const successes = (output: ReturnType<Chain['block']>) => output.evmTxs.map(({ status }) => status === 1)

/** Adds an account with 1,000 gold to the genesis document. */
const withGold = (genesis: GenesisDocument): GenesisDocument => {
  const state = genesis.app_state as Record<string, Record<string, unknown>>
  const { balances, supply, ...others } = state['bank'] as {
    balances: { address: string; coins: object[] }[]
    supply: object[]
  }
  const gold = { denom: 'ugold', amount: '1000' }
  const funded = balances.map((one) => (one.address === carol.text ? { ...one, coins: [gold, ...one.coins] } : one))
  const next = { ...others, balances: funded, supply: [gold, ...supply] }
  return { ...genesis, app_state: { ...state, bank: next } } as GenesisDocument
}

test('calls, estimates and checks between two blocks do not change what the next block does, nor its gas', () => {
  const send = (sequence: bigint) => {
    const amount = [{ denom: 'unative', amount: '5' }]
    const init = { fromAddress: alice.text, toAddress: bob.text, amount }
    return signed(alice, [message(MsgSendSchema, init)], { sequence })
  }
  const call = wrapped(bob, {
    to: FUNTOKEN,
    data: encodeCall('bankMsgSend(string,string,uint256)', [carol.text, 'unative', 3n]),
  })
  const run = (between: (chain: Chain) => void) => {
    const chain = startChain()
    chain.block(send(0n))
    between(chain)
    return outcomeOf(chain.block(send(1n), call, send(2n)))
  }
  const quiet = run(() => {})
  const busy = run((chain) => {
    const data = encodeCall('bankMsgSend(string,string,uint256)', [alice.text, 'unative', 7n])
    const args = { from: formatHex0x(bob.address), to: formatHex0x(FUNTOKEN), data: formatHex0x(data) }
    const request = { args: utf8(JSON.stringify(args)) }
    for (let i = 0; i < 3; i++) {
      expect(queries.ethCall(chain.read() as never, request).vmError).toBe('')
      expect(queries.estimateGas(chain.read() as never, request).gas).toBeGreaterThan(21_000n)
      expect(chain.check(send(BigInt(i + 1))).code).toBe(0)
      expect(chain.check(call, 'simulate').code).toBe(0)
      expect(chain.app.simulate(chain.read(), send(1n)).code).toBe(0)
    }
  })
  expect(busy).toBe(quiet)
})

test('a transaction pays for its own gas alone, wherever it is in its block', () => {
  const chain = startChain()
  const to = new Uint8Array(20).fill(0x77)
  const fields = { to, valueWei: UNIT_WEI, gasLimit: 1_000_000n, gasPriceWei: 3n * UNIT_WEI }
  chain.block(...[bob, carol].flatMap((user) => [0n, 1n].map((nonce) => wrapped(user, { ...fields, nonce }))))
  for (const user of [bob, carol]) expect(units(chain, user.address)).toBe(FUNDS - 2n * (1n + 3n * 21_000n))
})

// Without calldata: store 42 in slot 0 and revert. With one byte: the same, and an invalid opcode. Else: slot 1 = slot 0 + 1.
const FAILING = '368015601657600114602157600054600101600155005b602a60005560006000fd5b602a600055fe'

test('storage and code of a failed transaction are invisible to the next one of its block', () => {
  const chain = startChain()
  const contract = created(alice.address, 0n)
  chain.block(wrapped(alice, { data: deploying(FAILING) }))
  const output = chain.block(
    wrapped(bob, { to: contract }),
    wrapped(carol, { to: contract, data: hex('00') }),
    wrapped(alice, { nonce: 1n, to: contract, data: hex('0000') }),
    // Stores 42 in slot 0, then reverts, or returns more code than the gas pays.
    wrapped(bob, { nonce: 1n, data: hex('602a60005560006000fd'), gasLimit: 100_000n }),
    wrapped(carol, { nonce: 1n, data: hex('602a6000556160006000f3'), gasLimit: 100_000n }),
    wrapped(alice, { nonce: 2n, to: created(bob.address, 1n), valueWei: UNIT_WEI, gasLimit: 30_000n }),
  )
  expect(successes(output)).toEqual([false, false, true, false, false, true])
  expect([slot(chain, contract, 0n), slot(chain, contract, 1n)]).toEqual([0n, 1n])
  for (const [user, nonce] of [
    [bob, 1n],
    [carol, 1n],
  ] as const) {
    const address = created(user.address, nonce)
    expect([evm.code(chain.read(), address), slot(chain, address, 0n)]).toEqual([undefined, 0n])
  }
})

test.each(['Shanghai', 'Osaka'])('under %s code stays while another contract has the same', (fork) => {
  const chain = startChain({ fork })
  const [kept, destroyed] = [created(alice.address, 0n), created(alice.address, 1n)]
  // Destroys itself when called, for the caller's benefit.
  const data = deploying('33ff')
  chain.block(wrapped(alice, { data }), wrapped(alice, { nonce: 1n, data }))
  // Creates a third one and calls it in the same transaction.
  const child = '6133ff6000526002601ef3'
  const factory = hex(`6a${child}600052600b60156000f06000600060006000600085${'5a'}f100`)
  const output = chain.block(
    wrapped(bob, { to: destroyed, gasLimit: 100_000n }),
    wrapped(bob, { nonce: 1n, data: factory, gasLimit: 500_000n }),
  )
  expect(successes(output)).toEqual([true, true])
  const third = created(created(bob.address, 1n), 1n)
  expect(evm.isContract(chain.read(), third)).toBe(false)
  expect(evm.isContract(chain.read(), destroyed)).toBe(fork === 'Osaka')
  expect(evm.code(chain.read(), kept)).toEqual(hex('33ff'))
  expect(successes(chain.block(wrapped(carol, { to: kept, valueWei: 5n * UNIT_WEI, gasLimit: 100_000n })))).toEqual([
    true,
  ])
  expect(units(chain, carol.address)).toBeGreaterThan(FUNDS - 100_000n)
})

test('a contract is created at an address that strangers paid, granted and called before', () => {
  const chain = startChain({ edit: withGold })
  const contract = created(alice.address, 0n)
  const text = formatBech32('chain', contract)
  const send = (amount: { denom: string; amount: string }[]) =>
    message(MsgSendSchema, { fromAddress: carol.text, toAddress: text, amount })
  const grant = {
    authorization: {
      typeUrl: '/sdk.authz.v1beta1.GenericAuthorization',
      value: concat(hex('0a1b'), utf8('/sdk.bank.v1beta1.MsgSend00')),
    },
  }
  const prepared = chain.block(
    signed(carol, [send([{ denom: 'ugold', amount: '400' }]), send([{ denom: 'unative', amount: '9' }])]),
    signed(carol, [message(MsgGrantSchema, { granter: carol.text, grantee: text, grant })], { sequence: 1n }),
    wrapped(bob, { to: contract, valueWei: 3n, gasLimit: 30_000n }),
  )
  expect(prepared.results[0]!.code).toBe(0)
  expect(successes(prepared)).toEqual([true])
  const wei = evm.balanceWei(chain.read(), contract)
  expect(successes(chain.block(wrapped(alice, { data: deploying('602a60005260206000f3') })))).toEqual([true])
  expect(evm.code(chain.read(), contract)).toEqual(hex('602a60005260206000f3'))
  expect([units(chain, contract, 'ugold'), evm.balanceWei(chain.read(), contract)]).toEqual([400n, wei])
  const answer = queries.ethCall(chain.read() as never, { args: utf8(JSON.stringify({ to: formatHex0x(contract) })) })
  expect(decodeUint(answer.ret)).toBe(42n)
})

test('a contract that destroys itself loses no coins of other denoms, and the supplies do not change', () => {
  const chain = startChain({ edit: withGold })
  const contract = created(alice.address, 0n)
  const amount = [{ denom: 'ugold', amount: '400' }]
  const init = { fromAddress: carol.text, toAddress: formatBech32('chain', contract), amount }
  chain.block(signed(carol, [message(MsgSendSchema, init)]))
  const supply = bank.supply(chain.read(), 'unative')
  // Creates and destroys in one transaction, for the benefit of the contract itself: its wei are destroyed.
  const output = chain.block(wrapped(alice, { data: hex('30ff'), valueWei: 7n * UNIT_WEI }))
  expect(successes(output)).toEqual([true])
  expect(evm.isContract(chain.read(), contract)).toBe(false)
  expect(units(chain, contract, 'ugold') + units(chain, carol.address, 'ugold')).toBe(1000n)
  expect([bank.supply(chain.read(), 'ugold'), bank.supply(chain.read(), 'unative')]).toEqual([1000n, supply])
})

/** Adds a vesting account with 100 locked units at the address of the first contract of Alice. */
const withVestingContract = (genesis: GenesisDocument): GenesisDocument => {
  const state = genesis.app_state as Record<string, Record<string, unknown>>
  const address = formatBech32('chain', created(alice.address, 0n))
  const locked = [{ denom: 'unative', amount: '100' }]
  const vesting = {
    '@type': '/sdk.vesting.v1beta1.PermanentLockedAccount',
    base_vesting_account: {
      base_account: { address, pub_key: null, account_number: '50', sequence: '0' },
      original_vesting: locked,
      delegated_free: [],
      delegated_vesting: [],
      end_time: '0',
    },
  }
  const { balances, supply } = state['bank'] as { balances: object[]; supply: { denom: string; amount: string }[] }
  const raised = supply.map(({ denom, amount }) => ({ denom, amount: (BigInt(amount) + 100n).toString() }))
  return {
    ...genesis,
    app_state: {
      ...state,
      auth: { ...state['auth'], accounts: [...(state['auth']!['accounts'] as object[]), vesting] },
      bank: { ...state['bank'], balances: [...balances, { address, coins: locked }], supply: raised },
    },
  } as GenesisDocument
}

test('a creation at the address of a vesting account fails, and neither its value nor its code is lost', () => {
  const contract = created(alice.address, 0n)
  const create = (chain: Chain) => chain.block(wrapped(alice, { data: deploying('00'), valueWei: 5n * UNIT_WEI }))
  const chain = startChain({ edit: withVestingContract })
  expect(successes(create(chain))).toEqual([false])
  expect([units(chain, contract), evm.isContract(chain.read(), contract)]).toEqual([100n, false])
  // All gas is used, as by any collision.
  expect(units(chain, alice.address)).toBe(FUNDS - 1_000_000n)
  expect(successes(chain.block(wrapped(alice, { nonce: 1n, data: deploying('00') })))).toEqual([true])

  const behaviours = behavioursOf(['codeOfOtherAccountsIsLost'])
  const reference = startChain({ edit: withVestingContract, identity: { ...almanac, behaviours } })
  expect(successes(create(reference))).toEqual([true])
  expect([units(reference, contract), evm.isContract(reference.read(), contract)]).toEqual([105n, false])
})

test('delegated coins of a vesting account cannot be sent again in the EVM, and no balance wraps', () => {
  const locked = FUNDS - 1_000_000_000n
  const edit = (genesis: GenesisDocument): GenesisDocument => {
    const state = genesis.app_state as Record<string, Record<string, unknown>>
    const accounts = (state['auth']!['accounts'] as { base_account: { address: string } }[]).map((one) =>
      one.base_account.address === carol.text
        ? {
            '@type': '/sdk.vesting.v1beta1.PermanentLockedAccount',
            base_vesting_account: {
              base_account: one.base_account,
              original_vesting: [{ denom: 'unative', amount: locked.toString() }],
              delegated_free: [],
              delegated_vesting: [],
              end_time: '0',
            },
          }
        : one,
    )
    return { ...genesis, app_state: { ...state, auth: { ...state['auth'], accounts } } } as GenesisDocument
  }
  const chain = startChain({ edit })
  const supply = bank.supply(chain.read(), 'unative')
  const delegation = { denom: 'unative', amount: (FUNDS / 2n).toString() }
  const validatorAddress = formatBech32('chainvaloper', alice.address)
  const init = { delegatorAddress: carol.text, validatorAddress, amount: delegation }
  expect(chain.block(signed(carol, [message(MsgDelegateSchema, init)])).results[0]!.code).toBe(0)
  const before = units(chain, carol.address)
  const free = 1_000_000_000n - 5_000_000n
  const pay = (amount: bigint) => {
    const nonce = evm.nonce(chain.read(), carol.address)
    return chain.block(wrapped(carol, { nonce, to: bob.address, valueWei: amount * UNIT_WEI, gasLimit: 21_000n }))
  }
  for (const amount of [2n ** 256n / UNIT_WEI, FUNDS, before, FUNDS / 4n, free + 1n]) {
    const { evmTxs } = pay(amount)
    expect(evmTxs.filter(({ status }) => status === 1)).toEqual([])
  }
  expect([units(chain, bob.address), bank.supply(chain.read(), 'unative')]).toEqual([FUNDS, supply])
  expect(units(chain, carol.address)).toBeLessThanOrEqual(before)
  expect(successes(pay(free / 2n))).toEqual([true])
})

test('a call of a chain precompile with malformed arguments fails, and is no bug', () => {
  const random = seededRandom(20)
  const signatures = [
    'sendToBank(address,uint256,string)',
    'sendToEvm(string,uint256,string)',
    'bankMsgSend(string,string,uint256)',
    'balance(address,address)',
    'bankBalance(address,string)',
    'whoAmI(string)',
    'getErc20Address(string)',
    'queryExchangeRate(string)',
    'chainLinkLatestRoundData(string)',
    'execute(string,bytes,(string,uint256)[])',
    'query(string,bytes)',
  ]
  const chain = startChain()
  let nonce = 0n
  for (const signature of signatures) {
    const selector = keccak256(utf8(signature)).slice(0, 4)
    for (const address of [0x800n, 0x801n, 0x802n]) {
      const txs = Array.from({ length: 8 }, (_, i) => {
        // Empty, truncated, offsets beyond the end, lengths of 2^256 - 1, bytes that are no text.
        const length = [0, 1, 31, 64, 96, 128, 160, 320][i]!
        const filling = i % 2 === 0 ? 0xff : Math.floor(random() * 256)
        const data = concat(selector, new Uint8Array(length).fill(filling))
        return wrapped(bob, { nonce: nonce++, to: encodeUint(address, 20), data, gasLimit: 300_000n })
      })
      const { results, evmTxs } = chain.block(...txs)
      expect(results.every(({ code }) => code === 0)).toBe(true)
      expect(evmTxs.length).toBe(8)
    }
  }
})

test('return data of the copy precompile is a copy, wherever its input and output are', () => {
  const WORD = 0x1122334455667788_99aabbccddeeff00_0123456789abcdef_fedcba9876543210n
  const precompiles = standardPrecompiles(rulesOf('Osaka'))
  for (const outputOffset of [0, 1, 16, 31, 32]) {
    const out = outputOffset.toString(16).padStart(2, '0')
    // Memory 0 = word; copy 0..32 to the output; overwrite memory 0; read the return data to 64 and return it.
    const code = `${push(WORD)}5f52602060${out}60205f5f60045af150${push(0n)}5f5260205f60403e60206040f3`
    const { success, output } = machine({ code, precompiles }).call()
    expect([success, decodeUint(output)]).toEqual([true, WORD])
  }
})

test('a transfer to many accounts credits each its own coins of each denom', () => {
  const chain = startChain({ edit: withGold })
  const outputs = [
    { address: alice.text, coins: [{ denom: 'ugold', amount: '300' }] },
    {
      address: bob.text,
      coins: [
        { denom: 'ugold', amount: '100' },
        { denom: 'unative', amount: '50' },
      ],
    },
    { address: alice.text, coins: [{ denom: 'unative', amount: '7' }] },
  ]
  const coins = [
    { denom: 'ugold', amount: '400' },
    { denom: 'unative', amount: '57' },
  ]
  const init = { inputs: [{ address: carol.text, coins }], outputs }
  expect(chain.block(signed(carol, [message(MsgMultiSendSchema, init)])).results[0]!.code).toBe(0)
  expect(users.map(({ address }) => units(chain, address, 'ugold'))).toEqual([300n, 100n, 600n])
  expect([alice, bob].map(({ address }) => units(chain, address))).toEqual([FUNDS + 7n, FUNDS + 50n])
})

// Answers any view with the text T, or the number 32, after 3,000 rounds of a loop of 26 gas.
const SLOW_VIEWS = '610bb85b60019003806003575060205f526001602052605460f81b60405260605ff3'

test('a message that asks a contract pays for its answers, and a low limit ends it before they are all given', () => {
  const chain = startChain()
  const contract = created(alice.address, 0n)
  chain.block(wrapped(alice, { data: deploying(SLOW_VIEWS) }))
  const mapping = () => queries.funTokenMapping(chain.read() as never, { token: formatHex0x(contract) })
  const create = (sequence: bigint, gasLimit: bigint) => {
    const init = { sender: carol.text, fromErc20: contract }
    return chain.block(signed(carol, [message(MsgCreateFunTokenSchema, init)], { sequence, gasLimit })).results[0]!
  }
  const failed = create(0n, 200_000n)
  expect([failed.codespace, failed.code]).toEqual(['sdk', 11])
  expect(mapping).toThrow('not found')
  const { code, gasUsed } = create(1n, 2_000_000n)
  expect(code).toBe(0)
  expect(mapping().funToken!.isMadeFromCoin).toBe(false)
  // Name, symbol and decimals, 78,000 gas each.
  expect(gasUsed).toBeGreaterThan(3n * 78_000n)
})
