/** `almanac testnet`: writes a network of several nodes under CometBFT, extends it, and runs it. */
import { Command } from 'commander'
import { PubKeySchema } from '../gen/sdk/crypto/ed25519/keys_pb.ts'
import { createIdentity } from '../identity/identity.ts'
import { configError, resolveConfig } from '../node/config.ts'
import { diskFiles } from '../node/files.ts'
import { homePaths } from '../node/home-paths.ts'
import { profileOfHome } from '../node/home-record.ts'
import { requireMnemonic } from '../node/mnemonic.ts'
import { TEST_MNEMONIC } from '../node/settings/chain.ts'
import type { Setting } from '../node/settings/setting.ts'
import type { Testnet, TestnetNode } from '../node/testnet/manifest.ts'
import { BASE_PORT, parseLayout } from '../node/testnet/places.ts'
import { addToNetwork, writeNetwork } from '../node/testnet/write.ts'
import { parseValidatorKey } from '../node/validator-key.ts'
import { formatBase64 } from '../primitives/bytes.ts'
import { readMnemonicFile } from './mnemonic-file.ts'
import { addSettings, flagsOf } from './settings.ts'

/** Validators of a network whose user gives no number: the least that goes on without one of them. */
const VALIDATORS = '4'

const WORLD = { files: diskFiles, clock: Date.now }

export async function testnet(args: readonly string[]): Promise<number> {
  const [first, ...rest] = args
  if (first === 'start') return await (await import('./testnet-start.ts')).testnetStart(rest)
  return first === 'add' ? await add(rest) : await write(args)
}

/** Whether a setting can be chosen for a network: the choices of a new chain, the interval of its blocks, and the engine. */
function isOfNetwork({ section, key, genesis }: Setting): boolean {
  if (section === 'chain') return genesis === true && key !== 'genesis'
  if (section === 'snapshots') return key === 'interval'
  return (section === 'blocks' && key === 'time') || (section === 'consensus' && key === 'program')
}

async function write(args: readonly string[]): Promise<number> {
  const command = new Command('almanac testnet')
    .description(
      'Write the homes of a network under CometBFT on this machine: keys, settings, one genesis document, peers, and ' +
        'DIR/testnet.json with the URLs of its nodes. Each home starts by `almanac start --home DIR/nodeN`, ' +
        'and all by `almanac testnet start DIR`.',
    )
    .exitOverride()
    .option('--output <dir>', 'Folder of the network, which is empty or does not exist.')
    .option(
      '--starting-ip <address>',
      'Loopback address of the first node; each further one has the next, and the standard ports.',
    )
    .option(
      '--base-port <port>',
      `First port of the first node; each further one begins 10 ports higher. (default: ${BASE_PORT})`,
    )
    .option('--mnemonic-file <path>', 'File with the BIP-39 mnemonic of the funded accounts; - reads standard input.')
  addSettings(command, isOfNetwork)
  command.addHelpText(
    'after',
    '\nCommands:\n  almanac testnet start DIR   run the nodes of a network\n  almanac testnet add DIR     add a full node',
  )
  command.parse([...args], { from: 'user' })
  const {
    output,
    'starting-ip': startingIp,
    'base-port': basePort,
    'mnemonic-file': mnemonicFile,
    ...flags
  } = flagsOf(command)
  if (output === undefined)
    throw configError('--output is missing: give a folder for the network, such as --output net')
  if (mnemonicFile !== undefined) flags['mnemonic'] = readMnemonicFile(String(mnemonicFile), flags['mnemonic'])
  const layout = parseLayout(startingIp as string | undefined, basePort as string | undefined)
  const resolved = resolveConfig({ flags: { validators: VALIDATORS, ...flags } })
  if (flags['mnemonic'] !== undefined) await requireMnemonic(resolved.config.chain.mnemonic)
  const network = await writeNetwork({ folder: String(output), layout, resolved }, WORLD)
  process.stdout.write(describe(network, String(output), resolved.config.chain.mnemonic === TEST_MNEMONIC))
  return 0
}

/** Returns what a user does next, and where the nodes will be. */
function describe(
  { chain_id: chainId, evm_chain_id: evmChainId, nodes }: Testnet,
  folder: string,
  isPublic: boolean,
): string {
  const width = Math.max(...nodes.map(({ jsonrpc }) => jsonrpc.length))
  const lines = nodes.map(({ jsonrpc, rest }, i) => `  node${i}  ${jsonrpc.padEnd(width)}  ${rest}`)
  return [
    `${folder}: ${nodes.length} validator${nodes.length === 1 ? '' : 's'} of ${chainId} (EVM chain id ${evmChainId})`,
    '',
    ...lines,
    '',
    `start them:  almanac testnet start ${folder}`,
    isPublic
      ? `accounts:    those of the default mnemonic, which is public: "${TEST_MNEMONIC}"`
      : 'accounts:    those of your mnemonic',
    '',
  ].join('\n')
}

async function add(args: readonly string[]): Promise<number> {
  const command = new Command('almanac testnet add')
    .description(
      'Write the home of a further node into the folder of a network. It is a full node, which fetches all blocks from the ' +
        'others; `almanac tx staking create-validator` makes it a validator (docs/network.md).',
    )
    .argument('<dir>', 'folder of the network')
    .option(
      '--state-sync',
      'begin at the newest snapshot of the other nodes, which run, instead of executing all blocks (docs/state-sync.md)',
    )
    .exitOverride()
  command.parse([...args], { from: 'user' })
  const folder = command.args[0]!
  const node: TestnetNode = await addToNetwork(folder, WORLD, command.opts()['stateSync'] === true)
  process.stdout.write(
    `${node.home}\n\nstart it:  almanac start --home ${node.home}\nits key:   --pubkey '${publicKeyOf(node)}'\n`,
  )
  return 0
}

/** Returns the key of a node that is no validator yet, as `almanac tx staking create-validator` takes it. */
function publicKeyOf({ home }: TestnetNode): string {
  const paths = homePaths(home)
  const { publicKey } = parseValidatorKey(diskFiles.read(paths.validatorKey)!, paths.validatorKey)
  const { toProfileName } = createIdentity(profileOfHome(paths, diskFiles))
  return JSON.stringify({ '@type': `/${toProfileName(PubKeySchema.typeName)}`, key: formatBase64(publicKey) })
}
