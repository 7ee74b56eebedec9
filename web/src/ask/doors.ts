/** Doors of the EVM to what a module answers: methods of Ethereum, and the chain's precompiles. */
import { moduleOf, type Operation } from './operations.ts'

/** A read that a client of Ethereum can make. The parameter `HEIGHT` stands for the block that is shown. */
export type Door =
  | { readonly kind: 'rpc'; readonly method: string; readonly params: readonly unknown[] }
  | {
      readonly kind: 'call'
      readonly address: string
      /** Human-readable ABI of the function. */
      readonly abi: string
      readonly name: string
      readonly args: readonly string[]
    }

const FUNTOKEN = '0x0000000000000000000000000000000000000800'
const ORACLE = '0x0000000000000000000000000000000000000801'

const BECH32 = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'

/** Returns the EVM address of an account, from 0x or Bech32 text; undefined if it is neither or longer than 20 bytes. */
export function evmAddressOf(text: string): string | undefined {
  if (/^0x[0-9a-f]{40}$/i.test(text)) return text
  const data = /^[a-z]+1([a-z0-9]{38})$/.exec(text)?.[1]
  if (!data) return undefined
  let bits = ''
  for (const letter of data.slice(0, 32)) {
    const value = BECH32.indexOf(letter)
    if (value < 0) return undefined
    bits += value.toString(2).padStart(5, '0')
  }
  return `0x${BigInt(`0b${bits}`).toString(16).padStart(40, '0')}`
}

/** Returns the door to an operation; undefined if the EVM cannot see its answer. */
export function doorOf(operation: Operation, baseDenom: string): Door | undefined {
  const value = (name: string): string => operation.fields.find((field) => field.name === name)?.value ?? ''
  const account = evmAddressOf(value('address'))
  switch (`${moduleOf(operation)}.${operation.rpc}`) {
    case 'evm.Balance':
      return account && !value('token')
        ? { kind: 'rpc', method: 'eth_getBalance', params: [account, 'HEIGHT'] }
        : undefined
    case 'evm.Code':
      return account ? { kind: 'rpc', method: 'eth_getCode', params: [account, 'HEIGHT'] } : undefined
    case 'evm.Storage':
      return account
        ? { kind: 'rpc', method: 'eth_getStorageAt', params: [account, value('key'), 'HEIGHT'] }
        : undefined
    case 'bank.Balance':
      if (!account) return undefined
      if (value('denom') === baseDenom) return { kind: 'rpc', method: 'eth_getBalance', params: [account, 'HEIGHT'] }
      return {
        kind: 'call',
        address: FUNTOKEN,
        abi: 'function bankBalance(address who, string bankDenom) view returns (uint256 bankBalance, (address ethAddr, string bech32Addr) whoAddrs)',
        name: 'bankBalance',
        args: [account, value('denom')],
      }
    case 'oracle.ExchangeRate':
      return {
        kind: 'call',
        address: ORACLE,
        abi: 'function queryExchangeRate(string pair) view returns (uint256 price, uint64 blockTimeMs, uint64 blockHeight)',
        name: 'queryExchangeRate',
        args: [value('pair')],
      }
    default:
      return undefined
  }
}

/** Returns the path of REST that answers a method of Ethereum; undefined if no operation does. */
export function pathOf(method: string, params: readonly unknown[]): string | undefined {
  const [account, key] = params
  switch (method) {
    case 'eth_getBalance':
      return `/chain/evm/v1/balances/${account}`
    case 'eth_getCode':
      return `/chain/evm/v1/codes/${account}`
    case 'eth_getStorageAt':
      return `/chain/evm/v1/storage/${account}/${key}`
    default:
      return undefined
  }
}
