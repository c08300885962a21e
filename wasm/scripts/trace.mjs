// Instruments a module for the constant-time check: it tells the host every value that decides what is executed or
// where in memory, and every operand whose value may decide how long an instruction takes.
import binaryen from 'binaryen';
import { walk } from './lower.mjs';

const { If, Break, Switch, Select, Load, Store, SIMDLoad, MemoryFill, MemoryCopy, Binary, i32 } = binaryen;

/** Members whose values are told, by expression. */
const told = new Map([
  [binaryen.IfId, [[If, 'Condition']]],
  [binaryen.BreakId, [[Break, 'Condition']]],
  [binaryen.SwitchId, [[Switch, 'Condition']]],
  [binaryen.SelectId, [[Select, 'Condition']]],
  [binaryen.LoadId, [[Load, 'Ptr']]],
  [binaryen.StoreId, [[Store, 'Ptr']]],
  [binaryen.SIMDLoadId, [[SIMDLoad, 'Ptr']]],
  [binaryen.MemoryFillId, ['Dest', 'Size'].map((name) => [MemoryFill, name])],
  [binaryen.MemoryCopyId, ['Dest', 'Source', 'Size'].map((name) => [MemoryCopy, name])],
]);
const divisions = new Set([binaryen.DivSInt32, binaryen.DivUInt32, binaryen.RemSInt32, binaryen.RemUInt32]);
const operands = ['Left', 'Right'].map((name) => [Binary, name]);

/** @returns a module that computes the same and calls `env.trace(place, value)` on the way */
export function traced(binary) {
  const module = binaryen.readBinary(binary);
  try {
    module.setFeatures(binaryen.Features.All);
    let place = 0;
    const functions = Array.from({ length: module.getNumFunctions() }, (_, i) =>
      binaryen.getFunctionInfo(module.getFunctionByIndex(i)),
    );
    module.addFunctionImport('trace', 'env', 'trace', binaryen.createType([i32, i32]), i32);
    for (const { body } of functions) {
      walk(body, (expression, { id, op }) => {
        for (const [kind, name] of (divisions.has(op) && id === binaryen.BinaryId ? operands : told.get(id)) ?? []) {
          const value = kind[`get${name}`](expression);
          if (!value) continue;
          // Of a condition only whether it holds; a table's index is what it is.
          const isCondition = name === 'Condition' && id !== binaryen.SwitchId;
          const seen = isCondition ? module.i32.ne(value, module.i32.const(0)) : value;
          kind[`set${name}`](expression, module.call('trace', [module.i32.const(place++), seen], i32));
        }
      });
    }
    if (!module.validate()) throw new Error('the traced module is not valid');
    return module.emitBinary();
  } finally {
    module.dispose();
  }
}
