/** The settings of the chain that a home begins, and of the blocks it makes. */
import { count, HOUR_MS } from './bounds.ts'
import { define } from './setting.ts'

/** The default mnemonic. Its keys are public. */
export const TEST_MNEMONIC = 'test test test test test test test test test test test junk'

export const CHAIN_SETTINGS = {
  profile: define('chain', 'profile', 'text', 'almanac', 'Profile: almanac, nibiru, nibiru@2.17, or a file.', {
    flag: 'profile',
    genesis: true,
  }),
  genesis: define(
    'chain',
    'genesis',
    'text',
    '',
    'File of the genesis document of a new chain; without one, a localnet.',
    {
      flag: 'genesis',
      genesis: true,
    },
  ),
  id: define(
    'chain',
    'id',
    'text',
    'almanac-localnet-1',
    'Chain id; it also determines the EVM chain id. A profile has its own default.',
    {
      flag: 'chain-id',
      genesis: true,
    },
  ),
  evmChainId: define(
    'chain',
    'evm_chain_id',
    'bigint',
    0n,
    'EVM chain id; 0 for the one that the profile gives to the chain id.',
    { flag: 'evm-chain-id', genesis: true, min: 0, max: Number.MAX_SAFE_INTEGER },
  ),
  mnemonic: define(
    'chain',
    'mnemonic',
    'text',
    TEST_MNEMONIC,
    'BIP-39 mnemonic of the funded accounts. Other users see it in the list of processes: --mnemonic-file keeps it secret.',
    {
      flag: 'mnemonic',
      genesis: true,
      secret: true,
    },
  ),
  accounts: define(
    'chain',
    'accounts',
    'integer',
    10,
    'Number of funded accounts at each of the two derivation paths.',
    {
      flag: 'accounts',
      genesis: true,
      min: 1,
      max: 100_000,
    },
  ),
  validators: define(
    'chain',
    'validators',
    'integer',
    1,
    'Number of validators of a localnet. This node runs all of them; the first accounts operate them.',
    {
      flag: 'validators',
      genesis: true,
      min: 1,
      max: 100,
    },
  ),
  balance: define('chain', 'balance', 'bigint', 1_000_000n, 'Balance of each funded account, in whole native units.', {
    flag: 'balance',
    genesis: true,
    min: 0,
    max: 1_000_000_000_000,
  }),
  blockGasLimit: define('chain', 'block_gas_limit', 'bigint', 60_000_000n, 'Gas limit of a block; -1 for no limit.', {
    flag: 'block-gas-limit',
    genesis: true,
    min: -1,
    max: Number.MAX_SAFE_INTEGER,
    beyond: 'the transaction waits for the next block',
  }),
  votingPeriod: define(
    'chain',
    'voting_period',
    'duration',
    '30s',
    'Voting period and deposit period of proposals on a localnet.',
    { flag: 'voting-period', genesis: true, min: 1, max: 1_000_000 * HOUR_MS },
  ),
  derivationPath: define(
    'chain',
    'derivation_path',
    'text',
    "m/44'/60'/0'/0",
    'Derivation path of the funded accounts of Ethereum, without the number of the account.',
    { flag: 'derivation-path', genesis: true, min: 1 },
  ),
  initialHeight: define('chain', 'initial_height', 'bigint', 1n, 'Height of the first block.', {
    flag: 'initial-height',
    genesis: true,
    min: 1,
    max: 1_000_000_000_000,
  }),
  codeSizeLimit: define(
    'chain',
    'code_size_limit',
    'integer',
    0,
    'Largest code of a contract, bytes; 0 for 24576 (EIP-170). Init code can have twice the size.',
    { flag: 'code-size-limit', genesis: true, min: 0, max: 2 ** 31 - 1, beyond: 'the creation fails' },
  ),
  txGasLimit: define(
    'chain',
    'tx_gas_limit',
    'boolean',
    true,
    'Whether the gas limit of a transaction is at most 16777216 from Osaka on (EIP-7825).',
    { flag: 'tx-gas-limit', genesis: true },
  ),
  unprotectedTxs: define(
    'chain',
    'unprotected_txs',
    'boolean',
    false,
    'Accept transactions that are signed without a chain id (before EIP-155), such as deployments by known keyless transactions.',
    { flag: 'unprotected-txs', genesis: true },
  ),
  predeploys: define(
    'chain',
    'predeploys',
    'boolean',
    false,
    'Whether a localnet has Permit2, CreateX, the entry point of ERC-4337, the registry of ERC-1820 and the beacon roots contract at their usual addresses.',
    { flag: 'predeploys', genesis: true },
  ),
  fork: define('chain', 'fork', 'text', 'Osaka', 'Ethereum fork, Berlin to Osaka. A profile has its own default.', {
    flag: 'fork',
    genesis: true,
    oneOf: ['Berlin', 'London', 'Paris', 'Shanghai', 'Cancun', 'Prague', 'Osaka'],
  }),
}

export const BLOCKS_SETTINGS = {
  time: define(
    'blocks',
    'time',
    'blockTime',
    'arrival',
    'When to make blocks: "arrival" (of a transaction), "manual", or an interval such as "2", "0.5" or "500ms".',
    { flag: 'block-time' },
  ),
  maxTxs: define('blocks', 'max_txs', 'integer', 0, 'Maximum number of transactions in a block; 0 for no limit.', {
    ...count,
    beyond: 'the transaction waits for the next block',
  }),
}
