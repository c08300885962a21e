/**
 * - `model-missing`: the bundle does not hold the model, or its folder is absent.
 * - `model-mismatch`: bytes or a manifest that are not what they must be.
 * - `install-failed`: an add-on could not be fetched or written.
 */
export type ModelErrorCode = 'model-missing' | 'model-mismatch' | 'install-failed';

/** Error of this package; it depends on nothing of ours, so the engine wraps it into its own. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly code: ModelErrorCode;

  constructor(code: ModelErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
