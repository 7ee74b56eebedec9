/** `almanac/messages` as CosmJS uses it: signed transactions in both modes, and in a browser's surroundings. */
import { join } from 'node:path'
import { createContext, runInContext } from 'node:vm'
import { makeCosmoshubPath, Secp256k1HdWallet } from '@cosmjs/amino'
import { DirectSecp256k1HdWallet, type EncodeObject, Registry } from '@cosmjs/proto-signing'
import {
  AminoTypes,
  BroadcastTxError,
  createDefaultAminoConverters,
  defaultRegistryTypes,
  SigningStargateClient,
} from '@cosmjs/stargate'
import { build } from 'esbuild'
import { describe, expect, test } from 'vitest'
import { startNode } from '../../src/index.ts'
import { devgas, evm, messagesOf, oracle, sudo, tokenfactory } from '../../src/messages/index.ts'

const mnemonic = 'test test test test test test test test test test test junk'
const WALLETS = { direct: DirectSecp256k1HdWallet, amino: Secp256k1HdWallet }

for (const { profile, prefix, denom, own } of [
  { profile: 'almanac', prefix: 'chain', denom: 'unative', own: 'factory' },
  { profile: 'nibiru', prefix: 'nibi', denom: 'unibi', own: 'tf' },
]) {
  describe(`under the names of ${profile}`, async () => {
    const { registryTypes, aminoConverters, message } = messagesOf(profile)
    const registry = new Registry([...defaultRegistryTypes, ...registryTypes])
    const aminoTypes = new AminoTypes({ ...createDefaultAminoConverters(), ...aminoConverters })
    const fee = { amount: [{ denom, amount: '300000' }], gas: '12000000' }

    for (const mode of ['direct', 'amino'] as const) {
      test(`CosmJS signs the chain's messages in ${mode} mode`, async () => {
        await using node = await startNode({ chain: { profile } })
        const options = { prefix, hdPaths: [makeCosmoshubPath(0)] }
        const wallet = await WALLETS[mode].fromMnemonic(mnemonic, options)
        const [{ address: sender }] = (await wallet.getAccounts()) as unknown as [{ address: string }]
        const client = await SigningStargateClient.connectWithSigner(node.urls.comet, wallet, {
          registry,
          aminoTypes,
          broadcastPollIntervalMs: 10,
        })
        /** Returns codespace and code of a transaction, or `ok`. A wrong signature is sdk 4. */
        async function send(...messages: EncodeObject[]): Promise<string> {
          try {
            const { code, transactionHash } = await client.signAndBroadcast(sender, messages, fee)
            if (code === 0) return 'ok'
            const found = await fetch(`${node.urls.comet}/tx?hash=0x${transactionHash}`)
            const { result } = (await found.json()) as { result: { tx_result: { codespace: string } } }
            return `${result.tx_result.codespace} ${code}`
          } catch (error) {
            if (error instanceof BroadcastTxError) return `refused: ${error.codespace} ${error.code} ${error.log}`
            throw error
          }
        }
        const gold = `${own}/${sender}/gold`
        const coin = (amount: string) => ({ denom: gold, amount })
        expect(await send(message(tokenfactory.MsgCreateDenomSchema, { sender, subdenom: 'gold' }))).toBe('ok')
        const units = [
          { denom: gold, exponent: 0, aliases: ['grain'] },
          { denom: 'gold', exponent: 6 },
        ]
        const metadata = { denomUnits: units, base: gold, display: 'gold', name: 'Gold <&> Söhne', symbol: 'GLD' }
        expect(
          await send(
            message(tokenfactory.MsgMintSchema, { sender, coin: coin('1000000'), mintTo: sender }),
            message(tokenfactory.MsgBurnSchema, { sender, coin: coin('1'), burnFrom: sender }),
            message(tokenfactory.MsgSetDenomMetadataSchema, { sender, metadata }),
          ),
        ).toBe('ok')
        expect(await send(message(evm.MsgCreateFunTokenSchema, { sender, fromBankDenom: gold }))).toBe('ok')
        const toEthAddr = node.accounts[3]!.addressBytes
        expect(await send(message(evm.MsgConvertCoinToEvmSchema, { sender, toEthAddr, bankCoin: coin('250') }))).toBe(
          'ok',
        )
        const { balance } = await client.getBalance(sender, gold).then(({ amount }) => ({ balance: amount }))
        expect(balance).toBe(String(1_000_000 - 1 - 250))

        // Messages of the SDK that CosmJS knows no types or converters for, with messages inside.
        const authority = (await node.query('/cosmos/auth/v1beta1/module_accounts/gov')) as unknown as {
          account: { base_account: { address: string } }
        }
        const gov = authority.account.base_account.address
        const upgrade: EncodeObject = {
          typeUrl: '/cosmos.upgrade.v1beta1.MsgSoftwareUpgrade',
          value: { authority: gov, plan: { name: 'v9', height: 1_000_000n, info: 'x' } },
        }
        const proposal: EncodeObject = {
          typeUrl: '/cosmos.gov.v1.MsgSubmitProposal',
          value: {
            messages: [registry.encodeAsAny(upgrade)],
            initialDeposit: [{ denom, amount: '10000000' }],
            proposer: sender,
            title: 'Upgrade',
            summary: 'to v9',
            metadata: '',
          },
        }
        expect(await send(proposal)).toBe('ok')
        const vote = { proposalId: 1n, voter: sender, option: 1, metadata: 'for' }
        expect(await send({ typeUrl: '/cosmos.gov.v1.MsgVote', value: vote })).toBe('ok')
        const grant: EncodeObject = {
          typeUrl: '/cosmos.authz.v1beta1.MsgRevoke',
          value: { granter: sender, grantee: gov, msgTypeUrl: '/cosmos.bank.v1beta1.MsgSend' },
        }
        expect(await send(grant)).toMatch(/^authz \d+$/)

        // Refusals by the modules themselves: the signature was accepted before.
        const contractAddress = node.accounts[0]!.bech32
        const share = { contractAddress, deployerAddress: sender, withdrawerAddress: sender }
        expect(await send(message(devgas.MsgRegisterFeeShareSchema, share))).toMatch(/^devgas \d+$/)
        const refusals: EncodeObject[] = [
          message(sudo.MsgEditSudoersSchema, { action: 'add_contracts', contracts: [sender], sender }),
          message(sudo.MsgChangeRootSchema, { sender, newRoot: sender }),
          message(oracle.MsgEditOracleParamsSchema, {
            sender,
            params: { votePeriod: 10n, voteThreshold: '500000000000000000', whitelist: ['ubtc:uusd'] },
          }),
        ]
        for (const refused of refusals)
          expect(await send(refused), refused.typeUrl).toMatch(/^(undefined 1|(sudo|oracle|sdk) (?!4$)\d+)$/)
        client.disconnect()
      })
    }
  })
}

test('a bundle for browsers contains nothing of Node.js, and works without its globals', async () => {
  const root = join(import.meta.dirname, '..', '..')
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    stdin: {
      contents: "export { messagesOf, tokenfactory } from 'almanac/messages'",
      resolveDir: root,
    },
    bundle: true,
    format: 'iife',
    globalName: 'almanac',
    platform: 'browser',
    metafile: true,
    write: false,
    outdir: 'none',
  })
  const inputs = Object.values(metafile.inputs).flatMap(({ imports }) => imports.map(({ path }) => path))
  expect(inputs.filter((path) => path.startsWith('node:'))).toEqual([])
  expect(Object.keys(metafile.inputs).filter((path) => path.startsWith('dist/'))).toEqual(['dist/messages.js'])
  const page = createContext({ TextEncoder, TextDecoder, Uint8Array })
  const text = runInContext(
    `${outputFiles[0]!.text}
    const { typeUrl, value } = almanac.messagesOf('nibiru').message(almanac.tokenfactory.MsgCreateDenomSchema, { sender: 'a', subdenom: 'b' })
    JSON.stringify([typeUrl, almanac.messagesOf('nibiru').aminoConverters[typeUrl].toAmino(value)])`,
    page,
  ) as string
  expect(JSON.parse(text)).toEqual(['/nibiru.tokenfactory.v1.MsgCreateDenom', { sender: 'a', subdenom: 'b' }])
})
