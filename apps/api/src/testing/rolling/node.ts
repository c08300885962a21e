/** Entry of the real service with fake inference: a photo's text is its content. */
import { runService } from '../../compose/service-process.ts';
import { createFakeInference } from '../fake-inference.ts';

runService({ createInference: createFakeInference });
