/**
 * - `model-missing`: the bundle lacks the model, or its folder is absent.
 * - `model-mismatch`: invalid bytes or manifest.
 * - `install-failed`: an add-on could not be fetched or written.
 */
export type ModelErrorCode = 'model-missing' | 'model-mismatch' | 'install-failed';

/** Error of this package. It depends on no other package of the project; the engine wraps it into its own error. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly code: ModelErrorCode;

  constructor(code: ModelErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
