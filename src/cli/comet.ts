/** `almanac comet`: what an operator and peers need to know of the keys with which a node signs blocks and is known to peers. */
import { join } from 'node:path'
import { Command } from 'commander'
import type { Identity } from '../identity/types.ts'
import { diskFiles } from '../node/files.ts'
import { type HomePaths, homePaths } from '../node/home-paths.ts'
import { parsePeerKey, peerIdOf } from '../node/testnet/peer-key.ts'
import { engineConfig } from '../node/testnet/write.ts'
import { parseValidatorKey, type ValidatorKey } from '../node/validator-key.ts'
import { formatBech32 } from '../primitives/address.ts'
import { formatBase64 } from '../primitives/bytes.ts'
import { queryError } from '../primitives/errors.ts'
import { listsCommands } from './command-list.ts'
import { addHomeOptions } from './keys/open.ts'
import { identityOfFlags, type ProfileFlags } from './profile.ts'
import { homeOf } from './settings.ts'

/** Runs `almanac comet` with the arguments after its name. Returns the exit code. */
export async function comet(args: readonly string[]): Promise<number> {
  const program = new Command('almanac comet')
    .description('Show the keys of a node: those by which it signs blocks, and by which peers know it')
    .exitOverride()
  const add = (name: string, about: string, textOf: (paths: HomePaths, identity: () => Identity) => string) => {
    const command = addHomeOptions(program.command(name).description(about))
    command.action(() => {
      const flags = command.opts<ProfileFlags>()
      process.stdout.write(`${textOf(homePaths(homeOf(flags.home)), () => identityOfFlags(flags))}\n`)
    })
  }
  add(
    'show-validator',
    'Print the public key that signs blocks, as `tx staking create-validator --pubkey` takes it',
    (paths, identity) => {
      const key = formatBase64(validatorKeyOfHome(paths).publicKey)
      const type = `/${identity().toProfileName('sdk.crypto.ed25519.PubKey')}`
      return JSON.stringify({ '@type': type, key })
    },
  )
  add('show-address', 'Print the consensus address of the key that signs blocks', (paths, identity) =>
    formatBech32(identity().bech32.consensus, validatorKeyOfHome(paths).address),
  )
  add('show-node-id', 'Print the id of the engine of this node, by which peers name it', (paths) => {
    const path = join(engineConfig(paths.root), 'node_key.json')
    const advice = 'the engine writes it at the first start with --consensus cometbft'
    return peerIdOf(parsePeerKey(readKey(path, advice), path))
  })
  await listsCommands(program).parseAsync([...args], { from: 'user' })
  return 0
}

function validatorKeyOfHome({ validatorKey }: HomePaths): ValidatorKey {
  return parseValidatorKey(readKey(validatorKey, 'almanac init or almanac start makes one'), validatorKey)
}

/** Reads the file of a key. Throws `notFound` with what makes it. */
function readKey(path: string, advice: string): string {
  const text = diskFiles.read(path)
  if (text === undefined) throw queryError('notFound', `no key in ${path}: ${advice}; --home DIR names another home`)
  return text
}
