// SPDX-License-Identifier: MIT
pragma solidity 0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Burnable} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Burnable.sol";

// Functions and base contracts are those of ERC20Minter in the npm package @nibiruchain/solidity 0.0.4 (MIT), with setters for
// what a wallet shows.

/// The ERC-20 of a coin on chains of the reference: it does what contracts/MinterErc20.sol does, with the code that it has there.
/// Storage layout (part of the chain's state): 0 balances, 1 allowances, 2 supply, 3 and 4 name and symbol as deployed,
/// 5 owner and decimals, 6 name, 7 symbol.
contract CoinErc20 is ERC20, ERC20Burnable, Ownable {
    uint8 private shownDecimals;
    string private shownName;
    string private shownSymbol;

    constructor(string memory name_, string memory symbol_, uint8 decimals_) ERC20(name_, symbol_) {
        shownDecimals = decimals_;
        shownName = name_;
        shownSymbol = symbol_;
    }

    function name() public view override returns (string memory) {
        return shownName;
    }

    function symbol() public view override returns (string memory) {
        return shownSymbol;
    }

    function decimals() public view override returns (uint8) {
        return shownDecimals;
    }

    function setName(string memory name_) public onlyOwner {
        shownName = name_;
    }

    function setSymbol(string memory symbol_) public onlyOwner {
        shownSymbol = symbol_;
    }

    function setDecimals(uint8 decimals_) public onlyOwner {
        shownDecimals = decimals_;
    }

    /// Mints tokens for coins locked in the bank.
    function mint(address to, uint256 amount) public onlyOwner {
        _mint(to, amount);
    }

    /// Burns a holder's tokens without an allowance: the holder authorises the module by a signed message.
    function burnFromAuthority(address from, uint256 amount) public onlyOwner {
        _burn(from, amount);
    }
}
