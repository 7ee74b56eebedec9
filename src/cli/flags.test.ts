import type { DescMessage } from '@bufbuild/protobuf'
import { Command } from 'commander'
import { expect, test } from 'vitest'
import { EthCallRequestSchema } from '../gen/chain/evm/v1/query_pb.ts'
import { MsgCreateFunTokenSchema } from '../gen/chain/evm/v1/tx_pb.ts'
import { addFieldFlags, fieldFlags, requestJson } from './flags.ts'

function read(schema: DescMessage, args: readonly string[]) {
  const command = new Command()
  const flags = addFieldFlags(command, fieldFlags(schema.fields))
  command.parse(args, { from: 'user' })
  return requestJson(flags, command.opts())
}

test('an EVM address stays hexadecimal in JSON, and other bytes become base64', () => {
  const contract = '0x5fbdb2315678afecb367f032d93f642f64180aa3'
  expect(read(MsgCreateFunTokenSchema, ['--from-erc20', contract, '--allow-zero-decimals'])).toEqual({
    from_erc20: contract,
    allow_zero_decimals: true,
  })
  expect(read(EthCallRequestSchema, ['--proposer-address', '0x0102'])).toEqual({ proposer_address: 'AQI=' })
})
