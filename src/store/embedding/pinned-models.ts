/** A version of a model whose bytes are known. */
export interface PinnedModel {
  /** Commit of the hub. */
  revision: string
  /** SHA-256 of each file, in hex. */
  files: Readonly<Record<string, string>>
}

/**
 * Models whose files must have these bytes, whatever the hub says. Another model is checked against what its
 * hub says of it (embedding-model.md).
 */
export const pinnedModels: Readonly<Record<string, PinnedModel>> = {
  'Xenova/all-MiniLM-L6-v2': {
    revision: '751bff37182d3f1213fa05d7196b954e230abad9',
    files: {
      'config.json': '7135149f7cffa1a573466c6e4d8423ed73b62fd2332c575bf738a0d033f70df7',
      'tokenizer.json': 'da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0',
      'tokenizer_config.json': '9261e7d79b44c8195c1cada2b453e55b00aeb81e907a6664974b4d7776172ab3',
      'onnx/model_quantized.onnx': 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1',
    },
  },
}
