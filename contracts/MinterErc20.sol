// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// The ERC-20 of a coin. The chain's EVM module owns it: it mints tokens for coins locked in the bank, and burns tokens that are
/// converted back.
/// Storage layout (part of the chain's state): 0 balances, 1 allowances, 2 supply, 3 and 4 name and symbol as deployed,
/// 5 owner and decimals, 6 name, 7 symbol.
contract MinterErc20 {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    uint256 public totalSupply;
    string private deployedName;
    string private deployedSymbol;
    address public owner;
    uint8 public decimals;
    string public name;
    string public symbol;

    event Approval(address indexed owner, address indexed spender, uint256 value);
    event Transfer(address indexed from, address indexed to, uint256 value);
    event OwnershipTransferred(address indexed previousOwner, address indexed newOwner);

    modifier onlyOwner() {
        require(owner == msg.sender, "Ownable: caller is not the owner");
        _;
    }

    constructor(string memory name_, string memory symbol_, uint8 decimals_) {
        deployedName = name_;
        deployedSymbol = symbol_;
        name = name_;
        symbol = symbol_;
        decimals = decimals_;
        setOwner(msg.sender);
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        move(msg.sender, to, amount);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        spend(from, amount);
        move(from, to, amount);
        return true;
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        setAllowance(msg.sender, spender, amount);
        return true;
    }

    function increaseAllowance(address spender, uint256 added) external returns (bool) {
        setAllowance(msg.sender, spender, allowance[msg.sender][spender] + added);
        return true;
    }

    function decreaseAllowance(address spender, uint256 subtracted) external returns (bool) {
        uint256 current = allowance[msg.sender][spender];
        require(current >= subtracted, "ERC20: decreased allowance below zero");
        unchecked {
            setAllowance(msg.sender, spender, current - subtracted);
        }
        return true;
    }

    /// Mints tokens for coins locked in the bank.
    function mint(address to, uint256 amount) external onlyOwner {
        require(to != address(0), "ERC20: mint to the zero address");
        totalSupply += amount;
        unchecked {
            balanceOf[to] += amount;
        }
        emit Transfer(address(0), to, amount);
    }

    function burn(uint256 amount) external {
        destroy(msg.sender, amount);
    }

    function burnFrom(address from, uint256 amount) external {
        spend(from, amount);
        destroy(from, amount);
    }

    /// Burns a holder's tokens without an allowance: the holder authorises the module by a signed message.
    function burnFromAuthority(address from, uint256 amount) external onlyOwner {
        destroy(from, amount);
    }

    function setName(string calldata name_) external onlyOwner {
        name = name_;
    }

    function setSymbol(string calldata symbol_) external onlyOwner {
        symbol = symbol_;
    }

    function setDecimals(uint8 decimals_) external onlyOwner {
        decimals = decimals_;
    }

    function transferOwnership(address newOwner) external onlyOwner {
        require(newOwner != address(0), "Ownable: new owner is the zero address");
        setOwner(newOwner);
    }

    function renounceOwnership() external onlyOwner {
        setOwner(address(0));
    }

    function setOwner(address newOwner) private {
        emit OwnershipTransferred(owner, newOwner);
        owner = newOwner;
    }

    function setAllowance(address holder, address spender, uint256 amount) private {
        require(holder != address(0), "ERC20: approve from the zero address");
        require(spender != address(0), "ERC20: approve to the zero address");
        allowance[holder][spender] = amount;
        emit Approval(holder, spender, amount);
    }

    function spend(address holder, uint256 amount) private {
        uint256 current = allowance[holder][msg.sender];
        if (current == type(uint256).max) return;
        require(current >= amount, "ERC20: insufficient allowance");
        unchecked {
            setAllowance(holder, msg.sender, current - amount);
        }
    }

    function move(address from, address to, uint256 amount) private {
        require(from != address(0), "ERC20: transfer from the zero address");
        require(to != address(0), "ERC20: transfer to the zero address");
        uint256 held = balanceOf[from];
        require(held >= amount, "ERC20: transfer amount exceeds balance");
        unchecked {
            balanceOf[from] = held - amount;
            balanceOf[to] += amount;
        }
        emit Transfer(from, to, amount);
    }

    function destroy(address from, uint256 amount) private {
        require(from != address(0), "ERC20: burn from the zero address");
        uint256 held = balanceOf[from];
        require(held >= amount, "ERC20: burn amount exceeds balance");
        unchecked {
            balanceOf[from] = held - amount;
            totalSupply -= amount;
        }
        emit Transfer(from, address(0), amount);
    }
}
