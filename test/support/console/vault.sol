// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

contract Coin {
    string public name = "Harbour Gold";
    string public symbol = "HGLD";
    uint8 public constant decimals = 18;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    constructor(uint256 supply) {
        totalSupply = supply;
        balanceOf[msg.sender] = supply;
        emit Transfer(address(0), msg.sender, supply);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        allowance[from][msg.sender] -= value;
        move(from, to, value);
        return true;
    }

    function move(address from, address to, uint256 value) private {
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}

contract Vault {
    error Locked(address owner, uint256 until);
    event Deposited(address indexed owner, uint256 amount);
    mapping(address => uint256) public deposits;
    Coin public immutable coin;
    uint256 public total;

    constructor(Coin held) {
        coin = held;
    }

    function deposit(uint256 amount) external {
        coin.transferFrom(msg.sender, address(this), amount);
        deposits[msg.sender] += amount;
        total += amount;
        emit Deposited(msg.sender, amount);
    }

    function withdraw() external view {
        revert Locked(msg.sender, 4000000000);
    }

    function tryWithdraw() external returns (bool done) {
        try this.withdraw() {
            done = true;
        } catch {
            total = total + 0;
        }
    }
}
