/** ABIs that contracts share: token standards, and the precompiles of this chain. */
import { type Abi, parseAbi, parseAbiItem } from 'viem'

/** ERC-20 and what tokens usually add. */
export const TOKENS = parseAbi([
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function totalSupply() view returns (uint256)',
  'function balanceOf(address owner) view returns (uint256)',
  'function allowance(address owner, address spender) view returns (uint256)',
  'function transfer(address to, uint256 value) returns (bool)',
  'function approve(address spender, uint256 value) returns (bool)',
  'function transferFrom(address from, address to, uint256 value) returns (bool)',
  'function mint(address to, uint256 amount)',
  'function burn(uint256 amount)',
  'function owner() view returns (address)',
  'function transferOwnership(address newOwner)',
  'function deposit() payable',
  'function withdraw(uint256 amount)',
  'function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Approval(address indexed owner, address indexed spender, uint256 value)',
  'event Deposit(address indexed to, uint256 amount)',
  'event Withdrawal(address indexed from, uint256 amount)',
  'event OwnershipTransferred(address indexed previousOwner, address indexed newOwner)',
  'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
  'error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)',
  'error OwnableUnauthorizedAccount(address account)',
])

const COLLECTIBLES = parseAbi([
  'function safeTransferFrom(address from, address to, uint256 tokenId)',
  'function safeTransferFrom(address from, address to, uint256 tokenId, bytes data)',
  'function safeTransferFrom(address from, address to, uint256 id, uint256 value, bytes data)',
  'function safeBatchTransferFrom(address from, address to, uint256[] ids, uint256[] values, bytes data)',
  'function setApprovalForAll(address operator, bool approved)',
  'function ownerOf(uint256 tokenId) view returns (address)',
  'function tokenURI(uint256 tokenId) view returns (string)',
  'event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)',
  'event ApprovalForAll(address indexed owner, address indexed operator, bool approved)',
  'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
])

/** `balance` of the FunToken precompile, which names the coin that a token is joined with. */
export const FUNTOKEN_BALANCE = parseAbiItem(
  'function balance(address who, address funtoken) view returns (uint256 erc20Balance, uint256 bankBalance, (address erc20, string bankDenom) token, (address ethAddr, string bech32Addr) whoAddrs)',
)

const PRECOMPILES: Abi = [
  FUNTOKEN_BALANCE,
  ...parseAbi([
    'function sendToBank(address erc20, uint256 amount, string to) returns (uint256)',
    'function sendToEvm(string bankDenom, uint256 amount, string to) returns (uint256)',
    'function bankMsgSend(string to, string bankDenom, uint256 amount) returns (bool)',
    'function bankBalance(address who, string bankDenom) view returns (uint256 bankBalance, (address ethAddr, string bech32Addr) whoAddrs)',
    'function whoAmI(string who) view returns ((address ethAddr, string bech32Addr) whoAddrs)',
    'function queryExchangeRate(string pair) view returns (uint256 price, uint64 blockTimeMs, uint64 blockHeight)',
  ]),
]

export const STANDARD: readonly Abi[] = [TOKENS, COLLECTIBLES, PRECOMPILES]
