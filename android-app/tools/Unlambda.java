import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.ConstantDynamic;
import org.objectweb.asm.Handle;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;

/**
 * Makes classes that dx can turn into dex: every lambda becomes a class of its own.
 *
 * <pre>java -cp asm.jar:asm-tree.jar Unlambda.java OUT.jar IN...</pre>
 *
 * <p>Each IN is a jar or a folder. OUT holds their classes, sorted and without times, so that the same input
 * gives the same bytes. dx would copy an invokedynamic as it is, and the app would crash on the phone. So
 * the build ends at whatever cannot be converted here: an invokedynamic that is not a plain lambda, a constant
 * that is a method handle, a method type or dynamic, and a class file of Java 9 or newer.
 *
 * <p>A lambda in class Host becomes Host$$Lambda$N, which keeps the captured values and calls a static
 * method that is added to Host. From there even private and protected methods can be called, as the lambda could.
 */
public final class Unlambda implements Opcodes {
  private static final String FACTORY = "java/lang/invoke/LambdaMetafactory";

  private final SortedMap<String, byte[]> classes = new TreeMap<>();
  private int lambdas;

  public static void main(String[] arguments) throws IOException {
    Unlambda run = new Unlambda();
    for (String input : Arrays.asList(arguments).subList(1, arguments.length)) run.read(Path.of(input));
    run.write(Path.of(arguments[0]));
    System.out.println(run.classes.size() + " classes, " + run.lambdas + " of them made from lambdas");
  }

  private void read(Path input) throws IOException {
    if (Files.isDirectory(input)) {
      try (Stream<Path> files = Files.walk(input)) {
        for (Path file : (Iterable<Path>) files::iterator) {
          if (isClass(input.relativize(file).toString())) convert(Files.readAllBytes(file));
        }
      }
      return;
    }
    try (InputStream file = Files.newInputStream(input);
        ZipInputStream zip = new ZipInputStream(file)) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        if (isClass(entry.getName())) convert(zip.readAllBytes());
      }
    }
  }

  /** META-INF holds variants for newer Java versions. */
  private static boolean isClass(String name) {
    return name.endsWith(".class") && !name.startsWith("META-INF") && !name.endsWith("module-info.class");
  }

  private void write(Path output) throws IOException {
    try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(output))) {
      for (String name : classes.keySet()) {
        ZipEntry entry = new ZipEntry(name + ".class");
        entry.setTime(0);
        zip.putNextEntry(entry);
        zip.write(classes.get(name));
      }
    }
  }

  private void add(String name, byte[] bytes) {
    if (classes.put(name, bytes) != null) throw new Refused(name, "is there twice");
  }

  private void convert(byte[] bytes) {
    ClassNode host = new ClassNode();
    new ClassReader(bytes).accept(host, 0);
    if ((host.version & 0xFFFF) > V1_8) throw new Refused(host.name, "is a class file of version " + host.version);
    int before = lambdas;
    int number = 0;
    for (MethodNode method : List.copyOf(host.methods)) {
      for (AbstractInsnNode instruction : method.instructions.toArray()) {
        String place = host.name + "." + method.name;
        if (instruction instanceof LdcInsnNode) checkConstant(place, ((LdcInsnNode) instruction).cst);
        if (!(instruction instanceof InvokeDynamicInsnNode)) continue;
        Lambda lambda = new Lambda(host, number++, place, (InvokeDynamicInsnNode) instruction);
        method.instructions.set(instruction, lambda.call());
        lambda.addWayIn();
        add(lambda.name, lambda.toClass());
        lambdas++;
      }
    }
    if (lambdas == before) {
      add(host.name, bytes);
      return;
    }
    ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
    host.accept(writer);
    add(host.name, writer.toByteArray());
  }

  private static void checkConstant(String place, Object constant) {
    boolean isMethodType = constant instanceof Type && ((Type) constant).getSort() == Type.METHOD;
    if (constant instanceof Handle || constant instanceof ConstantDynamic || isMethodType) {
      throw new Refused(place, "loads a constant that dx does not know: " + constant);
    }
  }

  /** Says why the build ends, and at which place. */
  static final class Refused extends RuntimeException {
    Refused(String place, String what) {
      super(place.replace('/', '.') + " " + what);
    }
  }

  /** One lambda expression or method reference of a class. */
  private static final class Lambda {
    final String name;
    private final String place;
    private final ClassNode host;
    private final boolean inInterface;
    /** The one method of the interface: its name, as it is declared, and with this lambda's own types. */
    private final String method;
    private final Type declared;
    private final Type actual;
    private final Type contract;
    private final Type[] captured;
    private final String factory;
    private final Handle target;
    private final String wayIn;
    private final Type wayInType;

    Lambda(ClassNode host, int number, String place, InvokeDynamicInsnNode instruction) {
      Handle bootstrap = instruction.bsm;
      if (!bootstrap.getOwner().equals(FACTORY) || !bootstrap.getName().equals("metafactory")) {
        throw new Refused(place, "has an invokedynamic of " + bootstrap.getOwner() + "." + bootstrap.getName());
      }
      this.host = host;
      this.place = place;
      inInterface = (host.access & ACC_INTERFACE) != 0;
      name = host.name + "$$Lambda$" + number;
      method = instruction.name;
      declared = (Type) instruction.bsmArgs[0];
      target = (Handle) instruction.bsmArgs[1];
      actual = (Type) instruction.bsmArgs[2];
      factory = instruction.desc;
      contract = Type.getReturnType(factory);
      captured = Type.getArgumentTypes(factory);
      wayIn = "lambda$way$in$" + number;
      List<Type> values = new ArrayList<>(List.of(captured));
      values.addAll(List.of(actual.getArgumentTypes()));
      wayInType = Type.getMethodType(actual.getReturnType(), values.toArray(new Type[0]));
    }

    /** Returns the instruction that replaces the invokedynamic. */
    AbstractInsnNode call() {
      return new MethodInsnNode(INVOKESTATIC, name, "of", factory, false);
    }

    /** Adds to the host the static method that does what the lambda does. */
    void addWayIn() {
      int access = ACC_STATIC | ACC_SYNTHETIC | (inInterface ? ACC_PUBLIC : 0);
      MethodNode code = new MethodNode(access, wayIn, wayInType.getDescriptor(), null, null);
      boolean makes = target.getTag() == H_NEWINVOKESPECIAL;
      if (makes) {
        code.visitTypeInsn(NEW, target.getOwner());
        code.visitInsn(DUP);
      }
      List<Type> wanted = new ArrayList<>(List.of(Type.getArgumentTypes(target.getDesc())));
      Type owner = Type.getObjectType(target.getOwner());
      if (!makes && target.getTag() != H_INVOKESTATIC) wanted.add(0, owner);
      load(code, 0, wayInType.getArgumentTypes(), wanted);
      code.visitMethodInsn(
          opcode(), target.getOwner(), target.getName(), target.getDesc(), target.isInterface());
      Type result = makes ? owner : Type.getReturnType(target.getDesc());
      change(code, result, wayInType.getReturnType());
      code.visitInsn(wayInType.getReturnType().getOpcode(IRETURN));
      code.visitMaxs(0, 0);
      host.methods.add(code);
    }

    private int opcode() {
      switch (target.getTag()) {
        case H_INVOKESTATIC:
          return INVOKESTATIC;
        case H_INVOKEVIRTUAL:
          return INVOKEVIRTUAL;
        case H_INVOKEINTERFACE:
          return INVOKEINTERFACE;
        case H_NEWINVOKESPECIAL:
          return INVOKESPECIAL;
        case H_INVOKESPECIAL:
          if (target.getOwner().equals(host.name)) return INVOKESPECIAL;
          throw new Refused(place, "has a lambda that calls a method of its superclass");
        default:
          throw new Refused(place, "has a lambda of the kind " + target.getTag());
      }
    }

    byte[] toClass() {
      ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
      String[] interfaces = {contract.getInternalName()};
      writer.visit(V1_8, ACC_FINAL | ACC_SUPER | ACC_SYNTHETIC, name, null, "java/lang/Object", interfaces);
      for (int i = 0; i < captured.length; i++) {
        writer.visitField(ACC_PRIVATE | ACC_FINAL, "value" + i, captured[i].getDescriptor(), null, null);
      }
      constructor(writer);
      maker(writer);
      implementation(writer);
      return writer.toByteArray();
    }

    private void constructor(ClassWriter writer) {
      MethodVisitor code = writer.visitMethod(ACC_PRIVATE, "<init>", constructorType(), null, null);
      code.visitVarInsn(ALOAD, 0);
      code.visitMethodInsn(INVOKESPECIAL, "java/lang/Object", "<init>", "()V", false);
      int slot = 1;
      for (int i = 0; i < captured.length; i++) {
        code.visitVarInsn(ALOAD, 0);
        code.visitVarInsn(captured[i].getOpcode(ILOAD), slot);
        code.visitFieldInsn(PUTFIELD, name, "value" + i, captured[i].getDescriptor());
        slot += captured[i].getSize();
      }
      code.visitInsn(RETURN);
      code.visitMaxs(0, 0);
    }

    private String constructorType() {
      return Type.getMethodDescriptor(Type.VOID_TYPE, captured);
    }

    private void maker(ClassWriter writer) {
      MethodVisitor code = writer.visitMethod(ACC_STATIC, "of", factory, null, null);
      code.visitTypeInsn(NEW, name);
      code.visitInsn(DUP);
      load(code, 0, captured, List.of(captured));
      code.visitMethodInsn(INVOKESPECIAL, name, "<init>", constructorType(), false);
      code.visitInsn(ARETURN);
      code.visitMaxs(0, 0);
    }

    private void implementation(ClassWriter writer) {
      MethodVisitor code = writer.visitMethod(ACC_PUBLIC, method, declared.getDescriptor(), null, null);
      for (int i = 0; i < captured.length; i++) {
        code.visitVarInsn(ALOAD, 0);
        code.visitFieldInsn(GETFIELD, name, "value" + i, captured[i].getDescriptor());
      }
      load(code, 1, declared.getArgumentTypes(), List.of(actual.getArgumentTypes()));
      code.visitMethodInsn(INVOKESTATIC, host.name, wayIn, wayInType.getDescriptor(), inInterface);
      change(code, actual.getReturnType(), declared.getReturnType());
      code.visitInsn(declared.getReturnType().getOpcode(IRETURN));
      code.visitMaxs(0, 0);
    }

    /** Pushes the arguments from `slot` on, each as the wanted type. */
    private void load(MethodVisitor code, int slot, Type[] given, List<Type> wanted) {
      if (given.length != wanted.size()) throw new Refused(place, "has a lambda with arguments that do not fit");
      for (int i = 0; i < given.length; i++) {
        code.visitVarInsn(given[i].getOpcode(ILOAD), slot);
        change(code, given[i], wanted.get(i));
        slot += given[i].getSize();
      }
    }

    /** Changes the value on top of the stack as Java does between a lambda's types and its method's. */
    private void change(MethodVisitor code, Type from, Type to) {
      if (from.equals(to)) return;
      if (to == Type.VOID_TYPE) {
        code.visitInsn(from.getSize() == 2 ? POP2 : POP);
      } else if (from == Type.VOID_TYPE) {
        throw new Refused(place, "has a lambda without the result that is wanted");
      } else if (isPrimitive(from)) {
        Type primitive = isPrimitive(to) ? to : from;
        widen(code, from, primitive);
        if (!isPrimitive(to)) Box.of(primitive).put(code);
      } else if (isPrimitive(to)) {
        Box box = Box.holding(from, Box.of(to));
        if (!box.name.equals(from.getInternalName())) code.visitTypeInsn(CHECKCAST, box.name);
        box.take(code);
        widen(code, box.primitive, to);
      } else if (!to.getInternalName().equals("java/lang/Object")) {
        code.visitTypeInsn(CHECKCAST, to.getInternalName());
      }
    }

    private static boolean isPrimitive(Type type) {
      return type.getSort() < Type.ARRAY;
    }

    private void widen(MethodVisitor code, Type from, Type to) {
      if (from.equals(to)) return;
      int opcode;
      switch (kind(from) + kind(to)) {
        case "II":
          return;
        case "IJ":
          opcode = I2L;
          break;
        case "IF":
          opcode = I2F;
          break;
        case "ID":
          opcode = I2D;
          break;
        case "JF":
          opcode = L2F;
          break;
        case "JD":
          opcode = L2D;
          break;
        case "FD":
          opcode = F2D;
          break;
        default:
          throw new Refused(place, "has a lambda that makes " + to + " of " + from);
      }
      code.visitInsn(opcode);
    }

    /** On the stack, byte, short and char are an int. */
    private static String kind(Type type) {
      return "BSC".contains(type.getDescriptor()) ? "I" : type.getDescriptor();
    }
  }

  /** The class that holds a primitive value. */
  private enum Box {
    BOOLEAN("Boolean", Type.BOOLEAN_TYPE),
    BYTE("Byte", Type.BYTE_TYPE),
    CHARACTER("Character", Type.CHAR_TYPE),
    SHORT("Short", Type.SHORT_TYPE),
    INTEGER("Integer", Type.INT_TYPE),
    LONG("Long", Type.LONG_TYPE),
    FLOAT("Float", Type.FLOAT_TYPE),
    DOUBLE("Double", Type.DOUBLE_TYPE);

    final String name;
    final Type primitive;

    Box(String name, Type primitive) {
      this.name = "java/lang/" + name;
      this.primitive = primitive;
    }

    static Box of(Type primitive) {
      for (Box box : values()) if (box.primitive.equals(primitive)) return box;
      throw new IllegalArgumentException(primitive.toString());
    }

    static Box holding(Type type, Box otherwise) {
      for (Box box : values()) if (box.name.equals(type.getInternalName())) return box;
      return otherwise;
    }

    void put(MethodVisitor code) {
      String type = "(" + primitive + ")L" + name + ";";
      code.visitMethodInsn(INVOKESTATIC, name, "valueOf", type, false);
    }

    void take(MethodVisitor code) {
      String method = primitive.getClassName() + "Value";
      code.visitMethodInsn(INVOKEVIRTUAL, name, method, "()" + primitive, false);
    }
  }
}
