/** Requests of the chain's own modules in protobuf, for clients without their types. */
import { moduleOf, type Operation } from './operations.ts'

/** Numbers of the fields of requests, by module and operation. Operations without fields are absent. */
export const FIELD_NUMBERS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'devgas.FeeShares': { deployer: 1 },
  'devgas.FeeShare': { contract_address: 1 },
  'devgas.FeeSharesByWithdrawer': { withdrawer_address: 1 },
  'epochs.CurrentEpoch': { identifier: 1 },
  'evm.EthAccount': { address: 1 },
  'evm.ValidatorAccount': { cons_address: 1 },
  'evm.Balance': { address: 1, token: 2 },
  'evm.Storage': { address: 1, key: 2 },
  'evm.Code': { address: 1 },
  'evm.FunToken': { token: 1 },
  'evm.FunTokenMapping': { token: 1 },
  'oracle.ExchangeRate': { pair: 1 },
  'oracle.ExchangeRateTwap': { pair: 1 },
  'oracle.FeederDelegation': { validator_addr: 1 },
  'oracle.MissCounter': { validator_addr: 1 },
  'oracle.AggregatePrevote': { validator_addr: 1 },
  'oracle.AggregateVote': { validator_addr: 1 },
  'tokenfactory.Denoms': { creator: 1 },
  'tokenfactory.DenomInfo': { denom: 1 },
}

function varint(value: number): number[] {
  const bytes: number[] = []
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 0x80) return [...bytes, rest]
    bytes.push((rest & 0x7f) | 0x80)
  }
}

/** Returns the request in hexadecimal; undefined if a field of it is not text, or not in the table. */
export function requestHex(operation: Operation): string | undefined {
  const numbers = FIELD_NUMBERS[`${moduleOf(operation)}.${operation.rpc}`] ?? {}
  const bytes: number[] = []
  const numbered = operation.fields.map((field) => ({ ...field, number: numbers[field.name] }))
  for (const { number, type, value } of numbered.sort((a, b) => (a.number ?? 0) - (b.number ?? 0))) {
    if (number === undefined || type !== 'text') return undefined
    const text = new TextEncoder().encode(value)
    bytes.push((number << 3) | 2, ...varint(text.length), ...text)
  }
  return bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
