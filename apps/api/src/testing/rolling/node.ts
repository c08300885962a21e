/** Entry of the service as it is, but for photos: what they show is read from their text. */
import { runService } from '../../compose/service-process.ts';
import { createFakeInference } from '../fake-inference.ts';

runService({ createInference: createFakeInference });
