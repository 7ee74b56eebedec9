// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

interface IFunToken {
    function balance(address who, address erc20) external view returns (uint256, uint256);
    function sendToBank(address erc20, uint256 amount, string calldata to) external returns (uint256);
    function sendToEvm(string calldata denom, uint256 amount, string calldata to) external returns (uint256);
    function bankMsgSend(string calldata to, string calldata denom, uint256 amount) external returns (bool);
}

address constant FUNTOKEN = address(0x800);

/// A correct ERC-20.
contract Honest {
    mapping(address => uint256) public balances;
    uint256 public totalSupply;

    function mint(address to, uint256 amount) external {
        balances[to] += amount;
        totalSupply += amount;
    }

    function name() external view virtual returns (string memory) {
        return "Token";
    }

    function symbol() external view virtual returns (string memory) {
        return "TOK";
    }

    function decimals() external view virtual returns (uint256) {
        return 6;
    }

    function balanceOf(address holder) public view virtual returns (uint256) {
        return balances[holder];
    }

    function transfer(address to, uint256 amount) external virtual returns (bool) {
        move(msg.sender, to, amount);
        return true;
    }

    function move(address from, address to, uint256 amount) internal {
        require(balances[from] >= amount, "too little");
        balances[from] -= amount;
        balances[to] += amount;
    }
}

/// Keeps a tenth of each transfer.
contract FeeOnTransfer is Honest {
    function transfer(address to, uint256 amount) external override returns (bool) {
        uint256 fee = amount / 10;
        move(msg.sender, to, amount - fee);
        move(msg.sender, address(0xfee), fee);
        return true;
    }
}

/// Tries to send its own coins during a conversion.
contract Reentrant is Honest {
    string public denom;
    string public receiver;

    function arm(string calldata denom_, string calldata receiver_) external {
        denom = denom_;
        receiver = receiver_;
    }

    function transfer(address to, uint256 amount) external override returns (bool) {
        move(msg.sender, to, amount);
        // A refusal uses all gas of the call: this is enough for a success.
        (bool success, ) = FUNTOKEN.call{gas: 75000}(abi.encodeCall(IFunToken.bankMsgSend, (receiver, denom, 1)));
        require(!success, "coins moved inside of a conversion");
        return true;
    }
}

/// Loops without end in a transfer.
contract Endless is Honest {
    function transfer(address, uint256) external pure override returns (bool) {
        while (true) {}
        return true;
    }
}

/// Uses nearly all gas of the call.
contract Slow is Honest {
    function transfer(address to, uint256 amount) external override returns (bool) {
        move(msg.sender, to, amount);
        while (gasleft() > 10000) {}
        return true;
    }
}

/// Calls the precompile with the same request at every level.
contract Recursive is Honest {
    function balanceOf(address holder) public view override returns (uint256) {
        bytes memory question = abi.encodeCall(IFunToken.balance, (holder, address(this)));
        while (gasleft() > 9000) {
            (bool success, ) = FUNTOKEN.staticcall{gas: (gasleft() * 4) / 5}(question);
            success;
        }
        return balances[holder];
    }
}

/// Loops without end in a view.
contract EndlessView is Honest {
    function balanceOf(address) public pure override returns (uint256) {
        while (true) {}
        return 0;
    }
}

/// Reports a large balance for every account, and more decimals than a byte can encode.
contract Liar is Honest {
    function decimals() external pure override returns (uint256) {
        return type(uint256).max - 237;
    }

    function balanceOf(address) public view override returns (uint256) {
        return gasleft() << 200;
    }
}

/// Reports that each transfer delivered nearly the largest possible amount.
contract Inflating is Honest {
    mapping(address => bool) private paid;

    function balanceOf(address holder) public view override returns (uint256) {
        return paid[holder] ? type(uint256).max : 0;
    }

    function transfer(address to, uint256) external override returns (bool) {
        paid[to] = !paid[to];
        return true;
    }
}

/// Has a name of some kilobytes.
contract LongName is Honest {
    function name() external pure override returns (string memory) {
        return string(new bytes(6000));
    }

    function symbol() external pure override returns (string memory text) {
        text = "ABCDEFGHIJKLMNOPQRSTUVWXYZ123456";
        for (uint256 i = 0; i < 7; i++) text = string.concat(text, text);
    }
}

/// Reverts when asked for its name.
contract Nameless is Honest {
    function name() external pure override returns (string memory) {
        revert("no name");
    }
}

/// Returns false, or nothing.
contract Refusing is Honest {
    function transfer(address to, uint256 amount) external override returns (bool) {
        move(msg.sender, to, amount);
        return false;
    }
}

contract Speechless {
    mapping(address => uint256) public balanceOf;
    string public name = "Speechless";
    string public symbol = "SPL";
    uint8 public decimals = 6;

    function mint(address to, uint256 amount) external {
        balanceOf[to] += amount;
    }

    function transfer(address to, uint256 amount) external {
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
    }
}

/// Runs calls in order. Flag 1 runs a call in a frame that is then reverted; flag 2 catches its failure.
contract Router {
    struct Step {
        address to;
        bytes data;
        uint8 flags;
    }

    function run(Step[] calldata steps) external {
        for (uint256 i = 0; i < steps.length; i++) {
            Step calldata step = steps[i];
            if (step.flags & 1 != 0) {
                try this.undone(step.to, step.data) {} catch {}
                continue;
            }
            (bool success, ) = step.to.call{gas: gasleft() / 3}(step.data);
            require(success || step.flags & 2 != 0, "a step failed");
        }
    }

    function undone(address to, bytes calldata data) external {
        (bool success, ) = to.call{gas: gasleft() / 2}(data);
        require(success && false, "undone");
    }
}
